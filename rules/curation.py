"""What curators do to many rows at once, and what the lists say of each: who changed it last."""

from django.db.models import Model, OuterRef, QuerySet, Subquery
from simple_history.utils import bulk_update_with_history


def switch(rows: QuerySet, *, enabled: bool, by, reason: str = "") -> int:
    """Switches aliases or glossary terms on or off, each with a line in its history; gives how many changed."""
    changed = list(rows.exclude(enabled=enabled))
    for row in changed:
        row.enabled = enabled
    bulk_update_with_history(
        changed, rows.model, ["enabled"], default_user=by, default_change_reason=reason or None
    )
    return len(changed)


def with_last_change(rows: QuerySet) -> QuerySet:
    """Adds `changed_at` and `changed_by` (a username) of the newest line of history; shipped rows have none."""
    last = history_of(rows.model).filter(id=OuterRef("pk")).order_by("-history_date", "-history_id")
    return rows.annotate(
        changed_at=Subquery(last.values("history_date")[:1]),
        changed_by=Subquery(last.values("history_user__username")[:1]),
    )


def history_of(model: type[Model]) -> QuerySet:
    return model.history.all()
