// A button that dims, in the pictures of templates, what is the same on all of their pages. Off by default.

import { all, maybe } from "../core/dom.js";

const button = maybe("[data-dim]", HTMLElement);

/** @param {HTMLElement} pressed @param {boolean} on */
function show(pressed, on) {
  pressed.setAttribute("aria-pressed", String(on));
  for (const picture of all("[data-dimmed]", HTMLElement)) {
    picture.dataset.plain ??= picture.getAttribute("src") ?? "";
    picture.setAttribute("src", (on ? picture.dataset.dimmed : picture.dataset.plain) ?? "");
  }
}

button?.addEventListener("click", () => show(button, button.getAttribute("aria-pressed") !== "true"));
