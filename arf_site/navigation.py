"""The admin's sidebar: what staff come for, in groups; each link for those who may follow it."""

from collections.abc import Callable

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

# Title, icon, and where it leads: the list of a model, "app.model", or a view with the permission that it takes.
GROUPS = {
    _("Search"): [
        (_("Overview"), "monitoring", "admin:index"),
        (_("Try this query"), "experiment", "admin_try", "retrieval.view_searchlog"),
        (_("Search log"), "manage_search", "retrieval.searchlog"),
        (_("Questions"), "contact_support", "admin_questions", "retrieval.view_searchlog"),
        (_("Traces"), "account_tree", "retrieval.trace"),
        (_("Feedback"), "thumbs_up_down", "retrieval.feedback"),
    ],
    _("Corpus"): [
        (_("Domains"), "account_balance", "retrieval.domain"),
        (_("Documents"), "menu_book", "retrieval.document"),
        (_("Upload documents"), "upload_file", "admin_upload", "retrieval.add_upload"),
        (_("Uploads"), "drive_folder_upload", "retrieval.upload"),
        (_("Matters"), "folder_shared", "retrieval.matter"),
        (_("Sections"), "article", "retrieval.section"),
        (_("Chunks"), "segment", "retrieval.chunk"),
        (_("Citations"), "link", "retrieval.citation"),
    ],
    _("Curation"): [
        (_("Rules"), "rule", "rules.rule"),
        (_("Suggested rules"), "lightbulb", "evaluation.rulesuggestion"),
        (_("Rule usage"), "bar_chart", "admin_rule_usage", "rules.view_ruleuse"),
        (_("Aliases"), "label", "rules.alias"),
        (_("Glossary"), "translate", "rules.glossaryterm"),
        (_("Question phrases"), "chat", "rules.questionphrase"),
        (_("Thresholds"), "tune", "rules.domainthreshold"),
    ],
    _("Evaluation"): [
        (_("Judge"), "gavel", "admin_judge", "evaluation.add_judgment"),
        (_("Agreement"), "balance", "admin_disagreements", "evaluation.add_judgment"),
        (_("Import"), "upload_file", "admin_import", "evaluation.add_topic"),
        (_("Topics"), "quiz", "evaluation.topic"),
        (_("Judgments"), "fact_check", "evaluation.judgment"),
        (_("Runs"), "query_stats", "evaluation.run"),
        (_("Retraining"), "model_training", "evaluation.retrainingrun"),
        (_("Rerankers"), "neurology", "retrieval.rankermodel"),
        (_("Quality"), "show_chart", "admin_quality", "evaluation.view_run"),
        (_("Bodies of law"), "alt_route", "admin_bodies", "evaluation.view_run"),
        (_("Ablation"), "stacked_bar_chart", "admin_ablation", "evaluation.view_run"),
    ],
    _("Operations"): [
        (_("Jobs"), "pending_actions", "retrieval.jobrun"),
        (_("Embedding models"), "scatter_plot", "retrieval.embeddingmodel"),
        (_("Versions"), "history", "retrieval.version"),
        (_("LLM policy"), "account_balance_wallet", "retrieval.llmpolicy"),
        (_("LLM calls"), "forum", "retrieval.llmcall"),
        (_("LLM verdicts"), "gavel", "retrieval.llmverdict"),
        (_("Written summaries"), "notes", "retrieval.writtensummary"),
        (_("Queue: waiting"), "hourglass_empty", "django_q.ormq"),
        (_("Queue: failed"), "error", "django_q.failure"),
        (_("Queue: done"), "task_alt", "django_q.success"),
        (_("Schedules"), "schedule", "django_q.schedule"),
    ],
    _("Access"): [
        (_("Users"), "person", "auth.user"),
        (_("Groups"), "group", "auth.group"),
        (_("API keys"), "key", "retrieval.apikey"),
        (_("Your private documents"), "lock_open", "retrieval:private"),
        (_("Documents without an owner"), "person_off", "retrieval.unowneddocument"),
        (_("Failed logins"), "gpp_maybe", "axes.accessattempt"),
    ],
}


def sidebar(request: HttpRequest) -> list[dict]:
    return [
        {"title": gettext(title), "items": [item(*row) for row in rows]} for title, rows in GROUPS.items()
    ]


def item(title: str, icon: str, name: str, permission: str = "") -> dict:
    if "." in name:
        app, model = name.split(".")
        name, permission = f"admin:{app}_{model}_changelist", f"{app}.view_{model}"
    return {"title": gettext(title), "icon": icon, "link": reverse(name), "permission": allowed(permission)}


def allowed(permission: str) -> Callable[[HttpRequest], bool]:
    return lambda request: not permission or request.user.has_perm(permission)
