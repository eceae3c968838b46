// Selecting templates to merge. The bar says what will become what before anything is done.

import { all, around, maybe, one } from "../core/dom.js";

const CHOSEN = "[data-pick]:checked";
const bar = maybe("[data-merge]", HTMLElement);

/** @param {HTMLElement} bar */
function show(bar) {
  const chosen = all(CHOSEN, HTMLInputElement);
  one("[data-merge-button]", HTMLButtonElement, bar).disabled = chosen.length < 2;
  one("[data-merge-text]", HTMLElement, bar).textContent = chosen.length < 2
    ? "Choose another template to merge with"
    : `${chosen.length} templates become “${chosen[0].dataset.pick}”. Marked values and rules are kept.`;
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
