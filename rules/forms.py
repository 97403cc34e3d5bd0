"""What the admin's forms of curated rows share."""

from django import forms
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminTextInputWidget

from retrieval.models import Section


class ReasonedForm(forms.ModelForm):
    """An edit may say why it is made; history keeps it."""

    reason = forms.CharField(
        max_length=100,
        required=False,
        widget=UnfoldAdminTextInputWidget,
        label=gettext_lazy("Reason for this change"),
    )

    def save(self, commit: bool = True):
        self.instance._change_reason = self.cleaned_data.get("reason") or None
        return super().save(commit)


def provisions_like(words: str, among: QuerySet[Section]) -> QuerySet[Section]:
    """Those whose locator, citation or name holds the words."""
    named = Q(locator__icontains=words) | Q(citation__icontains=words)
    named |= Q(heading__icontains=words) | Q(plain_name__icontains=words)
    return among.filter(named).in_order()
