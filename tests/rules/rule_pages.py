"""Pages of rules in the admin, as tests fill them in."""

import re

from rules.authoring import workflow
from rules.models import Rule

THIRD = "/us/const/amendment/III"

ADD = "/admin/rules/rule/add/"


LIST = "/admin/rules/rule/"


FORM = {
    "name": "Quartering",
    "criteria-0-kind": "keywords",
    "criteria-0-value": "soldiers; quartering",
    "criteria-0-stemmed": "on",
    "criteria-1-kind": "",
    "targets-0-kind": "section",
    "targets-0-value": THIRD,
    "actions-0-kind": "pin",
    "actions-0-amount": "1",
    "priority": "100",
    "tags": "",
    "rationale": "",
    "owner": "",
}


def hidden(page) -> dict[str, str]:
    """What the form on a page posts along unseen."""
    return dict(re.findall(r'<input type="hidden" name="(opened)" value="(\w*)"', page.content.decode()))


def press(client, rule: Rule, action: str) -> str:
    shown = {"shown": workflow.digest_of(Rule.objects.get(pk=rule.pk))} if action in ("propose", "publish") else {}
    response = client.post(f"{LIST}{rule.pk}/do/{action}/", shown, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def in_force(name: str, action: str | dict, criterion: dict, targets=()) -> Rule:
    """Whatever it contradicts: it may have come into force before the corpus was as it is."""
    made = Rule(name=name, criteria=[criterion], targets=list(targets), status="published", version=1)
    made.actions = [action if isinstance(action, dict) else {"kind": action}]
    made.live = made.content
    made.save()
    return made
