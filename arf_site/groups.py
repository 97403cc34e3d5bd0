"""The groups that ship: what curators, judges and administrators may do. Staff may edit them afterwards."""

from functools import reduce
from operator import or_

from django.contrib.auth.models import Group, Permission
from django.db.models import Q, QuerySet

from arf_site.models import GivenPermission

CORPUS = ("domain", "document", "section", "chunk", "anchor", "citation")
CURATED = ("rule", "alias", "glossaryterm", "questionphrase", "domainthreshold")

CURATOR = [
    *(f"retrieval.view_{model}" for model in (*CORPUS, "embeddingmodel", "jobrun", "version")),
    *(f"retrieval.view_{model}" for model in ("searchlog", "trace", "feedback")),
    "retrieval.add_jobrun",  # "Ingest again"
    *(f"retrieval.{verb}_upload" for verb in ("view", "add")),
    "retrieval.change_document",  # tags, and "Withdraw"
    *(f"rules.{verb}_{model}" for verb in ("view", "add", "change") for model in CURATED),
    "rules.view_rulefinding",
    "rules.view_ruleuse",
    "rules.publish_rule",  # of what another curator proposed
    *(f"evaluation.view_{model}" for model in ("topic", "judgment", "run", "rulesuggestion")),
    *(f"evaluation.{verb}_{model}" for verb in ("add", "change") for model in ("topic", "judgment")),
]
JUDGE = [
    *(f"retrieval.view_{model}" for model in CORPUS),
    *(f"retrieval.view_{model}" for model in ("searchlog", "trace", "feedback")),
    *("evaluation.view_topic", "evaluation.view_judgment", "evaluation.add_judgment"),
]
ADMINISTERED = ("retrieval", "rules", "evaluation", "auth", "django_q", "axes")  # apps, with all that they hold


def load_groups() -> int:
    """Gives each group what ships for it and was never given to it before: what staff took away stays away. A group
    that is missing is made. Gives how many permissions were given.
    """
    return sum(give(name, list(permissions)) for name, permissions in shipped().items())


def give(name: str, permissions: list[Permission]) -> int:
    group, _ = Group.objects.get_or_create(name=name)
    before = set(GivenPermission.objects.filter(group=group).values_list("permission", flat=True))
    new = [permission for permission in permissions if permission.pk not in before]
    group.permissions.add(*new)
    GivenPermission.objects.bulk_create(GivenPermission(group=group, permission=each) for each in new)
    return len(new)


def shipped() -> dict[str, QuerySet[Permission]]:
    """The permissions of each group. Raises LookupError for a name that no permission has."""
    missing = {*CURATOR, *JUDGE} - set(map(name_of, Permission.objects.select_related("content_type")))
    if missing:
        raise LookupError(f"no such permissions: {', '.join(sorted(missing))}")
    return {name: Permission.objects.filter(condition) for name, condition in CONDITIONS.items()}


def name_of(permission: Permission) -> str:
    return f"{permission.content_type.app_label}.{permission.codename}"


def named(names: list[str]) -> Q:
    """Permissions with these names, "app.codename"."""
    pairs = (name.split(".") for name in names)
    return reduce(or_, (Q(content_type__app_label=app, codename=codename) for app, codename in pairs))


CONDITIONS = {
    "Curator": named(CURATOR),
    "Judge": named(JUDGE),
    "Administrator": Q(content_type__app_label__in=ADMINISTERED),
}
