"""The fields that forms share."""

import pytest
from django import forms

from extraction.forms.core import RowsField
from extraction.models import Site
from tests.services import factory

pytestmark = pytest.mark.django_db


class Choice(forms.Form):
    sites: "RowsField[Site]" = RowsField(Site.objects.all())


@pytest.mark.parametrize("number", ["9" * 30, str(2**63), "-9223372036854775809", "7" * 9, "x", "1.5"])
def test_an_id_that_no_row_can_have_is_refused_like_one_that_is_gone(number: str) -> None:
    site = factory.site()
    assert Choice({"sites": [str(site.pk)]}).is_valid()
    form = Choice({"sites": [str(site.pk), number]})
    assert not form.is_valid() and list(form.errors) == ["sites"]
