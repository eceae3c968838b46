"""The forms of quality rules: choosing a kind, the limits of a rule, and what to take over from suggestions."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from extraction.algorithms.records.quality.demands import (
    COUNT_RUNS,
    DIRECTIONS,
    OF_ATTRIBUTE,
    OPERATORS,
    RuleLimits,
    fits_type,
)
from extraction.algorithms.records.quality.languages import list_languages
from extraction.algorithms.records.quality.measures import is_at_most, read_measure
from extraction.algorithms.records.quality.patterns import MAX_PATTERN, PatternError, compile_pattern
from extraction.forms.core import word_number_errors
from extraction.models import Attribute, QualityRule, RecordList, RecordType
from extraction.services.core import stored_texts
from extraction.services.core.percent import write_number
from extraction.services.quality.edit_rules import RuleDraft
from extraction.services.quality.rule_words import OPERATOR_WORDS

MAX_VALUES = 500
"""The largest number of allowed values of a rule."""

SHARE_LABELS = {
    "required": gettext_lazy("Records that must have a value, in per cent"),
    "change": gettext_lazy("Records that may change at once, in per cent"),
}
SHARE_LABEL = gettext_lazy("Records that must pass, in per cent")

DIRECTION_WORDS = {"up": gettext_lazy("may only rise"), "down": gettext_lazy("may only fall")}

FIELDS = {
    "pattern": ("pattern",),
    "range": ("low", "high", "currency"),
    "values": ("values",),
    "length": ("shortest", "longest"),
    "language": ("languages",),
    "monotony": ("direction",),
    "relation": ("operator", "other"),
    "count": ("least", "most", "runs"),
}
"""{kind: the fields of its limits}. Kinds that are missing have none."""


class RuleChoiceForm(forms.Form):
    """What a new rule is about: its kind, and an attribute, the records of pages ("records"), or the rows of a list ("list-3")."""

    kind = forms.ChoiceField(choices=QualityRule.Kind.choices)
    about = forms.CharField()
    template = forms.CharField(required=False)

    def __init__(self, data: Any, record_type: RecordType) -> None:
        super().__init__(data)
        self._record_type = record_type
        self.attribute: Attribute | None = None
        self.list: RecordList | None = None

    def clean(self) -> None:
        kind, about = self.cleaned_data.get("kind", ""), self.cleaned_data.get("about", "")
        name, _, number = about.partition("-")
        pk = int(number) if number.isdecimal() and len(number) < 19 else 0
        if name == "attribute":
            self.attribute = self._record_type.attributes.select_related("list").filter(pk=pk).first()
        elif name == "list":
            self.list = self._record_type.lists.filter(pk=pk).first()
        if about != "records" and not (self.attribute or self.list):
            raise forms.ValidationError(gettext("Choose what the rule is about."))
        label = QualityRule.Kind(kind).label if kind else ""
        if kind in OF_ATTRIBUTE and self.attribute is None:
            raise forms.ValidationError(gettext("“%(label)s” is a rule about an attribute. Choose one.") % {"label": label})
        if kind == "count" and self.attribute is not None:
            raise forms.ValidationError(gettext("“%(label)s” is a rule about records or rows, not about an attribute.") % {"label": label})
        if self.attribute and not fits_type(kind, self.attribute.type):
            raise forms.ValidationError(
                gettext("“%(kind)s” does not fit %(attribute)s, which is of the type “%(type)s”.")
                % {"kind": label, "attribute": self.attribute, "type": self.attribute.get_type_display()}
            )


class QualityRuleForm(forms.Form):
    """The limits, share and weight of a rule of one kind. `draft` is the rule once the form is valid."""

    pattern = forms.CharField(
        max_length=MAX_PATTERN,
        strip=False,
        help_text=gettext_lazy("A regular expression (RE2) for the whole value in its normal form, such as \\d{13} or [A-Z]{2}-\\d+."),
    )
    low = forms.CharField(max_length=40, required=False, label=gettext_lazy("Smallest"))
    high = forms.CharField(max_length=40, required=False, label=gettext_lazy("Largest"))
    currency = forms.CharField(
        max_length=10, required=False, help_text=gettext_lazy("The code of a currency, such as EUR. Leave it empty for any.")
    )
    values = forms.CharField(
        widget=forms.Textarea, label=gettext_lazy("Allowed values"), help_text=gettext_lazy("One value a line, in its normal form.")
    )
    shortest = forms.IntegerField(min_value=0, max_value=10**6, required=False, label=gettext_lazy("Minimum length"))
    longest = forms.IntegerField(min_value=0, max_value=10**6, required=False, label=gettext_lazy("Maximum length"))
    languages = forms.CharField(
        max_length=100,
        help_text=gettext_lazy("Codes separated by commas, such as en, de. Texts of fewer than 20 letters are not judged."),
    )
    direction = forms.ChoiceField(choices=[(each, DIRECTION_WORDS[each]) for each in DIRECTIONS], label=gettext_lazy("The value"))
    operator = forms.ChoiceField(choices=[(each, OPERATOR_WORDS[each]) for each in OPERATORS], label=gettext_lazy("The value"))
    other = forms.ModelChoiceField(Attribute.objects.none(), label=gettext_lazy("Other attribute"), empty_label=None)
    least = forms.FloatField(min_value=0, max_value=100_000, required=False, label=gettext_lazy("Minimum, in per cent of the median"))
    most = forms.FloatField(min_value=0, max_value=100_000, required=False, label=gettext_lazy("Maximum, in per cent of the median"))
    runs = forms.IntegerField(min_value=1, max_value=50, initial=COUNT_RUNS, label=gettext_lazy("Median of how many released runs"))
    share = forms.FloatField(min_value=0, max_value=100, initial=100)
    weight = forms.ChoiceField(choices=QualityRule.Weight.choices, initial=QualityRule.Weight.WARN)

    def __init__(
        self, data: Any, *, kind: str, attribute: Attribute | None, of_list: RecordList | None, rule: QualityRule | None = None
    ) -> None:
        super().__init__(data, initial=make_initial(rule) if rule else None)
        self.kind, self.attribute, self.list = kind, attribute, of_list
        wanted = {*FIELDS.get(kind, ()), *({"share"} if kind != "count" else ()), "weight"}
        if kind == "range" and attribute and attribute.type != Attribute.Type.PRICE:
            wanted -= {"currency"}
        for name in set(self.fields) - wanted:
            del self.fields[name]
        if "share" in self.fields:
            self.fields["share"].label = SHARE_LABELS.get(kind, SHARE_LABEL)
            if kind == "change":
                self.fields["share"].initial = 30
        if "other" in self.fields and attribute:
            others = attribute.record_type.attributes.filter(type=attribute.type, list=attribute.list).exclude(pk=attribute.pk)
            self.fields["other"].queryset = others  # type: ignore[attr-defined]
        if "low" in self.fields and attribute and attribute.type == Attribute.Type.DATE:
            for name in ("low", "high"):
                self.fields[name].help_text = gettext("A date such as 2024-05-01. Leave it empty for no limit.")
        word_number_errors(self)

    def clean_pattern(self) -> str:
        pattern: str = self.cleaned_data["pattern"]
        try:
            compile_pattern(pattern)
        except PatternError as error:
            raise forms.ValidationError(stored_texts.tell(str(error))) from error
        return pattern

    def clean_values(self) -> tuple[str, ...]:
        values = tuple(dict.fromkeys(filter(None, (line.strip() for line in self.cleaned_data["values"].splitlines()))))
        if not values:
            raise forms.ValidationError(gettext("Give at least one value."))
        if len(values) > MAX_VALUES:
            raise forms.ValidationError(
                gettext("These are %(values)s values; %(max_values)s are allowed. Use a pattern.")
                % {"values": write_number(len(values)), "max_values": MAX_VALUES}
            )
        return values

    def clean_languages(self) -> tuple[str, ...]:
        codes = tuple(dict.fromkeys(self.cleaned_data["languages"].lower().replace(",", " ").split()))
        unknown = [code for code in codes if code not in list_languages()]
        if unknown:
            raise forms.ValidationError(
                gettext("Vertex cannot recognise “%(unknown)s”. Use codes of two letters, such as en or de.") % {"unknown": unknown[0]}
            )
        return codes

    def clean_low(self) -> str:
        return self._clean_limit("low")

    def clean_high(self) -> str:
        return self._clean_limit("high")

    def _clean_limit(self, name: str) -> str:
        text: str = self.cleaned_data[name].strip()
        kind = "date" if self.attribute and self.attribute.type == Attribute.Type.DATE else "number"
        if text and read_measure(text, kind) is None:
            example = gettext("a date such as 2024-05-01") if kind == "date" else gettext("a number such as 12.50")
            raise forms.ValidationError(gettext("“%(text)s” is not %(example)s.") % {"text": text, "example": example})
        return text

    def clean(self) -> None:
        data = self.cleaned_data
        pairs = {"range": ("low", "high"), "length": ("shortest", "longest"), "count": ("least", "most")}.get(self.kind)
        if pairs is None or any(name not in data for name in pairs):
            return
        low, high = (data[name] for name in pairs)
        if low in (None, "") and high in (None, ""):
            raise forms.ValidationError(gettext("Give at least one of the two limits."))
        if low in (None, "") or high in (None, ""):
            return
        if self.kind == "range":
            kind = "date" if self.attribute and self.attribute.type == Attribute.Type.DATE else "number"
            first, last = read_measure(low, kind), read_measure(high, kind)
            wrong = bool(first and last and is_at_most(first, last) is False)
        else:
            wrong = low > high
        if wrong:
            self.add_error(pairs[1], gettext("This is less than the other limit."))

    @property
    def draft(self) -> RuleDraft:
        """The rule."""
        data = self.cleaned_data
        limits: dict[str, Any] = {
            name: data[name] or None for name in ("pattern", "low", "high", "currency", "values", "languages") if name in data
        }
        limits |= {name: data[name] for name in ("shortest", "longest", "direction", "operator", "runs") if name in data}
        limits |= {name: round(data[name] / 100, 6) for name in ("least", "most") if data.get(name) is not None}
        if limits.get("currency"):
            limits["currency"] = limits["currency"].upper()
        fraction = round(data.get("share", 100) / 100, 6)
        return RuleDraft(
            kind=self.kind,
            attribute=self.attribute,
            other=data.get("other"),
            list=None if self.attribute else self.list,
            limits=RuleLimits(**limits),
            allowed_fraction=0.0 if self.kind == "count" else fraction if self.kind == "change" else round(1 - fraction, 6),
            weight=data["weight"],
        )


def make_initial(rule: QualityRule) -> dict[str, Any]:
    """Return the fields of a form for a rule."""
    limits = rule.read_limits()
    texts = {name: getattr(limits, name) for name in ("pattern", "low", "high", "currency", "shortest", "longest", "direction", "operator")}
    fraction = rule.allowed_fraction if rule.kind == "change" else 1 - rule.allowed_fraction
    return {
        **texts,
        "values": "\n".join(limits.values or ()),
        "languages": ", ".join(limits.languages or ()),
        "least": None if limits.least is None else round(limits.least * 100, 4),
        "most": None if limits.most is None else round(limits.most * 100, 4),
        "runs": limits.runs or COUNT_RUNS,
        "other": rule.other_id,
        "share": f"{round(fraction * 100, 4):g}",
        "weight": rule.weight,
    }


class SuggestionsForm(forms.Form):
    """The suggestions that a person takes over, each with its weight (`weight-NAME`)."""

    taken = forms.MultipleChoiceField(
        error_messages={
            "required": gettext_lazy("Choose at least one rule."),
            "invalid_choice": gettext_lazy("The data has changed. Choose again."),
        }
    )

    def __init__(self, data: Any, names: Sequence[str]) -> None:
        super().__init__(data)
        self.fields["taken"].choices = [(name, name) for name in names]  # type: ignore[attr-defined]

    def read_weight(self, name: str, standard: str) -> str:
        """Return the weight that was chosen for a suggestion."""
        chosen = self.data.get(f"weight-{name}", standard)
        return chosen if chosen in QualityRule.Weight.values else standard


class DecisionForm(forms.Form):
    """An operator's decision about a held run."""

    decision = forms.ChoiceField(choices=[("release", gettext_lazy("Release")), ("reject", gettext_lazy("Reject"))])
    note = forms.CharField(max_length=500, required=False)
