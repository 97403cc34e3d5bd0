"""Staff, and the lists they may reach."""

from django.contrib.auth.models import Group, User
from django.urls import reverse


def staff(client, group: str) -> User:
    user = User.objects.create_user(group.lower(), password="a long password", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    client.force_login(user)
    return user


def lists(*names: str) -> list[str]:
    return [reverse(f"admin:{name.replace('.', '_')}_changelist") for name in names]


def statuses(client, urls: list[str]) -> set[int]:
    return {client.get(url).status_code for url in urls}


CORPUS = lists(
    "retrieval.domain", "retrieval.document", "retrieval.section", "retrieval.chunk", "retrieval.citation"
)
LOGS = lists("retrieval.searchlog", "retrieval.trace", "retrieval.feedback")
CURATED = lists("rules.alias", "rules.glossaryterm", "rules.questionphrase", "rules.domainthreshold")
ACCESS = lists("retrieval.apikey", "retrieval.unowneddocument", "auth.user", "auth.group", "axes.accessattempt")
QUEUE = lists("django_q.ormq", "django_q.failure", "django_q.success", "django_q.schedule")
JOBS = lists("retrieval.jobrun")
TRY = "/admin/try/"


def form_of(client, url: str):
    return client.get(url).context["adminform"].form
