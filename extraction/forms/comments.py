"""The forms of comments and of who has a piece of work."""

from typing import Any

from django import forms
from django.contrib.auth.models import User

from extraction.models import Comment
from extraction.services.core.access import list_members


class CommentForm(forms.Form):
    """A comment. The service says what is wrong with a text, so that the API says the same."""

    text = forms.CharField(max_length=2 * Comment.MAX_LENGTH, required=False, strip=False)


class AssignForm(forms.Form):
    """Who has it; empty for nobody."""

    person = forms.ModelChoiceField(User.objects.none(), to_field_name="username", required=False)

    def __init__(self, *args: Any, team: int | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["person"].queryset = list_members(team)  # type: ignore[attr-defined]
