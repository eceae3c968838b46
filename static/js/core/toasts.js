// Messages that come and go. Errors stay until they are closed.

import { all, around, byId, one } from "./dom.js";
import { gettext } from "./words.js";

const STAYS_MS = 6000;

/** @param {HTMLElement} element */
function leave(element) {
  if (!element.classList.contains("toast-error")) setTimeout(() => element.remove(), STAYS_MS);
}

/** Shows a message. @param {string} text @param {"info" | "success" | "warning" | "error"} [level] */
export function toast(text, level = "info") {
  const copy = document.importNode(one("#toast-template", HTMLTemplateElement).content, true);
  const element = one(".toast", HTMLElement, copy);
  element.classList.add(`toast-${level}`);
  one("p", HTMLElement, element).textContent = text;
  byId("toasts").append(element);
  leave(element);
}

/** Removes messages after a while or when they are closed, and reports failed requests. */
export function watchToasts() {
  const box = byId("toasts");
  all(".toast", HTMLElement, box).forEach(leave);
  box.addEventListener("click", (event) => {
    if (around(event, "button", HTMLElement)) around(event, ".toast", HTMLElement)?.remove();
  });
  document.body.addEventListener("htmx:responseError", (event) => {
    const { xhr } = /** @type {CustomEvent<{xhr: XMLHttpRequest}>} */ (event).detail;
    toast(gettext("The server answered with %(status)s. Reload the page and try again.", { status: xhr.status }), "error");
  });
  document.body.addEventListener("htmx:sendError", () => {
    toast(gettext("The server cannot be reached. Nothing was lost; try again in a moment."), "error");
  });
}
