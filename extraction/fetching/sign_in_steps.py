"""The steps of signing in to a site, as a value and as the text that a person writes.

One step is one line:

    open https://www.example.org/sign-in
    fill #user = ada
    fill #password = secret
    click button[type=submit]
    wait a.account
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from urllib.parse import urlsplit

MAX_STEPS = 30


class Act(StrEnum):
    """What a step does. OPEN an address, FILL a field, CLICK an element, WAIT until an element is there."""

    OPEN = "open"
    FILL = "fill"
    CLICK = "click"
    WAIT = "wait"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInStep:
    """A step. at: an address for OPEN, else a CSS selector. text: what FILL enters, which is secret."""

    act: Act
    at: str
    text: str = field(default="", repr=False)

    def __str__(self) -> str:
        return f"{self.act} {self.at}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """How a site is signed in to.

    steps: none if the site needs no sign-in.
    marker: a CSS selector of something that only signed-out visitors see; "" for none.
    session: what a browser keeps of an earlier sign-in (Playwright's storage state as JSON); "" for none.
    later_password: what the page asks for after the last step, if its field and its button are still to be found; "" if the steps are
        complete.
    """

    steps: tuple[SignInStep, ...] = ()
    marker: str = ""
    session: str = field(default="", repr=False)
    later_password: str = field(default="", repr=False)

    def complete(self, password_field: str, button: str) -> "SignIn":
        """Return it with the steps on the page for the password, whose field and button were found."""
        fill = SignInStep(act=Act.FILL, at=password_field, text=self.later_password)
        return replace(self, steps=(*self.steps, fill, SignInStep(act=Act.CLICK, at=button)), later_password="")

    def has_second_page(self) -> bool:
        """Return whether something is clicked between two fields, so that the second may be on another page."""
        acts = [step.act for step in self.steps if step.act in (Act.FILL, Act.CLICK)]
        return Act.FILL in acts[acts.index(Act.CLICK) :] if Act.CLICK in acts else False

    def is_sign_in_address(self, url: str) -> bool:
        """Return whether an address is one that the steps open, whatever its query."""
        return any(step.act is Act.OPEN and _without_query(step.at) == _without_query(url) for step in self.steps)

    def list_secrets(self) -> dict[str, str]:
        """Return what the steps enter, by a name of its own."""
        texts = {f"step {number}": step.text for number, step in enumerate(self.steps, 1) if step.text}
        return texts | ({"later password": self.later_password} if self.later_password else {})


def read_steps(text: str) -> tuple[SignInStep, ...]:
    """Return the steps in a text. Raises ValueError, which names the line and shows no secret."""
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(lines) > MAX_STEPS:
        raise ValueError(f"There are {len(lines)} steps; at most {MAX_STEPS} are accepted.")
    steps = tuple(_read_step(number, line) for number, line in lines)
    if steps and steps[0].act is not Act.OPEN:
        raise ValueError("The first step must open an address: open https://www.example.org/sign-in")
    places = [step.at for step in steps if step.act is Act.FILL]
    if twice := next((place for place in places if places.count(place) > 1), ""):
        raise ValueError(f"Two steps fill {twice}. Give each field a selector of its own.")
    return steps


def write_steps(steps: Sequence[SignInStep], hidden: str) -> str:
    """Return steps as a text in which what they enter is hidden."""
    return "\n".join(f"{step} = {hidden}" if step.act is Act.FILL else str(step) for step in steps)


def write_open_steps(steps: Sequence[SignInStep]) -> str:
    """Return steps as the text that `read_steps` reads, with what they enter. It is secret."""
    return "\n".join(f"{step} = {step.text}" if step.act is Act.FILL else str(step) for step in steps)


def keep_texts(steps: Sequence[SignInStep], known: Mapping[str, str], hidden: str) -> tuple[SignInStep, ...]:
    """Return the steps with the known texts, by selector, in place of hidden ones. Raises ValueError if one is not known."""
    found = []
    for step in steps:
        if step.act is Act.FILL and step.text == hidden:
            if step.at not in known:
                raise ValueError(f"What to fill into {step.at} is not stored. Enter it.")
            step = SignInStep(act=step.act, at=step.at, text=known[step.at])
        found.append(step)
    return tuple(found)


def _read_step(number: int, line: str) -> SignInStep:
    word, _, rest = line.partition(" ")
    try:
        act = Act(word.lower())
    except ValueError:
        raise ValueError(f"Line {number} does not begin with open, fill, click or wait.") from None
    at, text = rest.strip(), ""
    if act is Act.FILL:
        at, equals, text = (part.strip() for part in rest.partition(" = "))
        if not equals or not text:
            raise ValueError(f"Line {number} must say what to fill in: fill #user = ada")
    if not at:
        raise ValueError(f"Line {number} must say {'which address' if act is Act.OPEN else 'which element, as a CSS selector'}.")
    return SignInStep(act=act, at=at, text=text)


def _without_query(url: str) -> tuple[str, str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower(), parts.path.rstrip("/")
