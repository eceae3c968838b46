"""What forms share: messages in plain words, and a deletion that is confirmed by typing a name."""

from typing import Any, TypeVar

from django import forms
from django.db.models import Model, QuerySet
from django.utils.translation import gettext, gettext_lazy

Row = TypeVar("Row", bound=Model)


def join_errors(form: forms.BaseForm, separator: str = " ") -> str:
    """Return all errors of a form as one text."""
    return separator.join(str(message) for messages in form.errors.values() for message in messages)


FLOAT_ERRORS = {
    "required": gettext_lazy("Give a number."),
    "invalid": gettext_lazy("This is not a number."),
    "min_value": gettext_lazy("Give a number of at least %(limit_value)s."),
    "max_value": gettext_lazy("Give a number of at most %(limit_value)s."),
}
INTEGER_ERRORS = {
    "required": gettext_lazy("Give a whole number."),
    "invalid": gettext_lazy("This is not a whole number."),
    "min_value": gettext_lazy("Give a whole number of at least %(limit_value)s."),
    "max_value": gettext_lazy("Give a whole number of at most %(limit_value)s."),
}


def word_number_errors(form: forms.BaseForm) -> None:
    """Put the error messages of a form's number fields in plain words."""
    for field in form.fields.values():
        if isinstance(field, forms.IntegerField):  # includes FloatField
            field.error_messages |= FLOAT_ERRORS if isinstance(field, forms.FloatField) else INTEGER_ERRORS


class RowsField(forms.ModelMultipleChoiceField[Row]):
    """Rows chosen by their ids. An id that is too large for the database is one that does not exist."""

    def clean(self, value: Any) -> "QuerySet[Row]":
        try:
            return super().clean(value)
        except OverflowError as error:
            raise forms.ValidationError(self.error_messages["invalid_choice"], code="invalid_choice", params={"value": "…"}) from error


class DeleteForm(forms.Form):
    """Asks for the name of what is to be deleted."""

    typed = forms.CharField(required=False)

    def __init__(self, *args: Any, wanted: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.wanted = wanted

    def clean_typed(self) -> str:
        if self.cleaned_data["typed"].strip() != self.wanted:
            raise forms.ValidationError(gettext("Type %(wanted)s to delete it. Nothing was deleted.") % {"wanted": self.wanted})
        return self.wanted
