// Selecting templates to merge. The bar says what will become what before anything is done.

import { all, around, maybe, one } from "../core/dom.js";
import { gettext } from "../core/words.js";

const CHOSEN = "[data-pick]:checked";
const bar = maybe("[data-merge]", HTMLElement);

/** @param {HTMLElement} bar */
function show(bar) {
  const chosen = all(CHOSEN, HTMLInputElement);
  one("[data-merge-button]", HTMLButtonElement, bar).disabled = chosen.length < 2;
  one("[data-merge-text]", HTMLElement, bar).textContent = chosen.length < 2
    ? gettext("Choose another template to merge with")
    : gettext("%(count)s templates become “%(name)s”. Marked values and rules are kept.", { count: chosen.length, name: chosen[0].dataset.pick ?? "" });
}

if (bar) {
  document.addEventListener("change", (event) => {
    if (around(event, "[data-pick]", HTMLElement)) show(bar);
  });
  one("[data-merge-clear]", HTMLElement, bar).addEventListener("click", () => {
    for (const box of all(CHOSEN, HTMLInputElement)) box.checked = false;
    show(bar);
  });
  show(bar);
}
