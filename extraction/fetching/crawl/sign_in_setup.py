"""Setting up a sign-in: what a crawl does that only tries its steps or lists the forms of their page."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from extraction.fetching.crawl.messages import CrawlPlan, Event, ListedForms, SignedIn, TriedSignIn
from extraction.fetching.crawl.needs import RenderError
from extraction.fetching.crawl.shown_forms import ShownField, ShownForm, ShownForms
from extraction.fetching.hidden_texts import hide_secrets

if TYPE_CHECKING:
    from extraction.fetching.crawl.render import Renderer
    from extraction.fetching.crawl.signing_in import SignInTrial

TOLD_CHARS = 600
"""How much of a page's text is told."""


class SignInSetup:
    """One task. say: sends an event to the parent."""

    def __init__(self, plan: CrawlPlan, renderer: "Renderer", say: Callable[[Event], None]) -> None:
        self._plan, self._renderer, self._say = plan, renderer, say
        self._secrets = plan.list_secrets()

    async def run(self) -> None:
        """Do what the plan asks for, and report what came of it."""
        try:
            await (self._list_forms() if self._plan.lists_forms else self._try_steps())
        except RenderError as error:
            failure = self._hide(str(error))
            self._say(ListedForms(failure=failure) if self._plan.lists_forms else TriedSignIn(failure=failure))

    async def _list_forms(self) -> None:
        looked = await self._renderer.list_forms(self._plan.sign_in)
        told = self._tell(looked.trial)
        shown = ShownForms(
            forms=tuple(self._hide_in_form(each) for each in looked.forms.forms),
            elsewhere=tuple(map(self._hide, looked.forms.elsewhere)),
            notices=tuple(map(self._hide, looked.forms.notices)),
        )
        self._say(ListedForms(failure=told.failure, url=told.url, title=told.title, text=told.text, shown=shown))

    async def _try_steps(self) -> None:
        """Try the steps. If the password is on a later page, find its field there first, and then try the whole from the beginning."""
        sign_in, found = self._plan.sign_in, TriedSignIn()
        if sign_in.later_password:
            looked = await self._renderer.find_password(sign_in)
            if looked.trial.failure:
                self._say(self._tell(looked.trial))
                return
            found = TriedSignIn(password_field=looked.password_field, button=looked.button)
            sign_in = sign_in.complete(looked.password_field, looked.button)
        trial = await self._renderer.try_sign_in(sign_in, strict=True)
        if trial.session:
            self._say(SignedIn(session=trial.session))
        self._say(replace(self._tell(trial), password_field=found.password_field, button=found.button))

    def _tell(self, trial: "SignInTrial") -> TriedSignIn:
        failure, url, title, text = map(self._hide, (trial.failure, trial.url, trial.title, trial.text))
        return TriedSignIn(failure=failure, step=trial.step, url=url, title=title, text=text[:TOLD_CHARS])

    def _hide(self, text: str) -> str:
        return hide_secrets(text, self._secrets)

    def _hide_in_form(self, form: ShownForm) -> ShownForm:
        button = self._hide_in_field(form.button) if form.button else None
        fields = tuple(map(self._hide_in_field, form.fields))
        return replace(form, fields=fields, button=button, frame=self._hide(form.frame))

    def _hide_in_field(self, each: ShownField) -> ShownField:
        """Return a field without secrets. Its selector has none."""
        return replace(each, label=self._hide(each.label), name=self._hide(each.name))
