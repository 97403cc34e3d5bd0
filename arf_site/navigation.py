"""The admin's sidebar: what staff come for, in groups; each link for those who may follow it."""

from collections.abc import Callable

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _


def sidebar(request: HttpRequest) -> list[dict]:
    groups = {
        _("Search"): [
            page(_("Overview"), "monitoring", "admin:index"),
            page(_("Try this query"), "experiment", "admin_try", "retrieval.view_searchlog"),
            model(_("Search log"), "manage_search", "retrieval.searchlog"),
            page(_("Questions"), "contact_support", "admin_questions", "retrieval.view_searchlog"),
            model(_("Traces"), "account_tree", "retrieval.trace"),
            model(_("Feedback"), "thumbs_up_down", "retrieval.feedback"),
        ],
        _("Corpus"): [
            model(_("Domains"), "account_balance", "retrieval.domain"),
            model(_("Documents"), "menu_book", "retrieval.document"),
            page(_("Upload documents"), "upload_file", "admin_upload", "retrieval.add_upload"),
            model(_("Uploads"), "drive_folder_upload", "retrieval.upload"),
            model(_("Matters"), "folder_shared", "retrieval.matter"),
            model(_("Sections"), "article", "retrieval.section"),
            model(_("Chunks"), "segment", "retrieval.chunk"),
            model(_("Citations"), "link", "retrieval.citation"),
        ],
        _("Curation"): [
            model(_("Rules"), "rule", "rules.rule"),
            model(_("Suggested rules"), "lightbulb", "evaluation.rulesuggestion"),
            page(_("Rule usage"), "bar_chart", "admin_rule_usage", "rules.view_ruleuse"),
            model(_("Aliases"), "label", "rules.alias"),
            model(_("Glossary"), "translate", "rules.glossaryterm"),
            model(_("Question phrases"), "chat", "rules.questionphrase"),
            model(_("Thresholds"), "tune", "rules.domainthreshold"),
        ],
        _("Evaluation"): [
            page(_("Judge"), "gavel", "admin_judge", "evaluation.add_judgment"),
            page(_("Agreement"), "balance", "admin_disagreements", "evaluation.add_judgment"),
            page(_("Import"), "upload_file", "admin_import", "evaluation.add_topic"),
            model(_("Topics"), "quiz", "evaluation.topic"),
            model(_("Judgments"), "fact_check", "evaluation.judgment"),
            model(_("Runs"), "query_stats", "evaluation.run"),
            model(_("Retraining"), "model_training", "evaluation.retrainingrun"),
            model(_("Rerankers"), "neurology", "retrieval.rankermodel"),
            page(_("Quality"), "show_chart", "admin_quality", "evaluation.view_run"),
            page(_("Ablation"), "stacked_bar_chart", "admin_ablation", "evaluation.view_run"),
        ],
        _("Operations"): [
            model(_("Jobs"), "pending_actions", "retrieval.jobrun"),
            model(_("Embedding models"), "scatter_plot", "retrieval.embeddingmodel"),
            model(_("Versions"), "history", "retrieval.version"),
            model(_("LLM policy"), "account_balance_wallet", "retrieval.llmpolicy"),
            model(_("LLM calls"), "forum", "retrieval.llmcall"),
            model(_("LLM verdicts"), "gavel", "retrieval.llmverdict"),
            model(_("Queue: waiting"), "hourglass_empty", "django_q.ormq"),
            model(_("Queue: failed"), "error", "django_q.failure"),
            model(_("Queue: done"), "task_alt", "django_q.success"),
            model(_("Schedules"), "schedule", "django_q.schedule"),
        ],
        _("Access"): [
            model(_("Users"), "person", "auth.user"),
            model(_("Groups"), "group", "auth.group"),
            model(_("API keys"), "key", "retrieval.apikey"),
            page(_("Your private documents"), "lock_open", "retrieval:private"),
            model(_("Documents without an owner"), "person_off", "retrieval.unowneddocument"),
            model(_("Failed logins"), "gpp_maybe", "axes.accessattempt"),
        ],
    }
    return [{"title": title, "items": items} for title, items in groups.items()]


def page(title: str, icon: str, view: str, permission: str = "") -> dict:
    return {"title": title, "icon": icon, "link": reverse(view), "permission": allowed(permission)}


def model(title: str, icon: str, name: str) -> dict:
    """The list of a model, "app.model"."""
    app, model_name = name.split(".")
    return page(title, icon, f"admin:{app}_{model_name}_changelist", f"{app}.view_{model_name}")


def allowed(permission: str) -> Callable[[HttpRequest], bool]:
    return lambda request: not permission or request.user.has_perm(permission)
