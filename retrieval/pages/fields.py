"""What the forms of the pages read from an address: places, days, pages, passages; what is said of a wrong value."""

import re

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from retrieval.pages.typesetting import Offsets

PASSAGE = re.compile(r"(\d{1,7})-(\d{1,7})")


class PlacesField(forms.Field):
    """Locators, which the search looks up."""

    def to_python(self, value: list[str] | None) -> tuple[str, ...]:
        if any("\x00" in locator for locator in value or ()):
            raise ValidationError(_("There is no such provision."))
        return tuple(value or ())


class DayField(forms.DateField):
    """As browsers send a day."""

    def __init__(self, **kwargs):
        widget = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
        no_day = {"invalid": _("There is no such day. Write it like 1791-12-15.")}
        super().__init__(input_formats=["%Y-%m-%d"], widget=widget, error_messages=no_day, **kwargs)


class PageField(forms.IntegerField):
    """Which page of several."""

    def __init__(self, *, most: int):
        numbered = format_lazy(_("Pages are numbered from 1 to {most}."), most=most)
        told = dict.fromkeys(("invalid", "min_value", "max_value"), numbered)
        super().__init__(required=False, min_value=1, max_value=most, error_messages=told)


class PassageField(forms.Field):
    """Offsets into a provision's text, "120-400"."""

    def to_python(self, value: str | None) -> Offsets | None:
        if not value:
            return None
        if match := PASSAGE.fullmatch(value):
            return int(match[1]), int(match[2])
        raise ValidationError(_("This is no passage."))
