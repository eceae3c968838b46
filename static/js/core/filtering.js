// A search filters while one types: the list below it is replaced by that of the answer, and the field keeps its focus. Until then, what
// acts on all that the search finds (`data-waits-for-search`) cannot be pressed.

import { around, maybe } from "./dom.js";
import { toast } from "./toasts.js";
import { gettext } from "./words.js";

const PAUSE_MS = 350; // A pause this long ends a word. Shorter ones would ask for every letter.

let timer = 0;
/** @type {AbortController | null} */ let asking = null;

/** Scripts that attach to elements of the list listen to `list-replaced` on the document. */
export function watchSearches() {
  document.addEventListener("input", (event) => {
    const field = around(event, "[data-search]", HTMLInputElement);
    const form = field?.form;
    if (!field || !form || form.method !== "get") return;
    setWaiting(true);
    clearTimeout(timer);
    timer = window.setTimeout(() => void filter(form, field), PAUSE_MS);
  });
  document.addEventListener("submit", () => clearTimeout(timer));
}

/** @param {HTMLFormElement} form @param {HTMLInputElement} field */
async function filter(form, field) {
  asking?.abort();
  asking = new AbortController();
  const address = addressOf(form);
  form.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(address, { signal: asking.signal });
    if (!answer.ok) throw new Error(`${answer.status}`);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = maybe("[data-search]", HTMLInputElement, page)?.form;
    if (!found) return location.assign(address); // Signed out, or another page altogether.
    replaceList(form, field, found);
    history.replaceState(history.state, "", address);
    document.dispatchEvent(new Event("list-replaced"));
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return;
    setWaiting(false);
    toast(gettext("The list could not be filtered. Press Enter to search again."), "error");
  }
  form.removeAttribute("aria-busy");
}

/** The answer brings its own buttons, so these are only set free if there is none. @param {boolean} waiting */
function setWaiting(waiting) {
  for (const each of document.querySelectorAll("button[data-waits-for-search]")) if (each instanceof HTMLButtonElement) each.disabled = waiting;
}

/** @param {HTMLFormElement} form */
function addressOf(form) {
  const asked = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string" && value) asked.append(name, value);
  const query = asked.toString();
  return `${location.pathname}${query ? `?${query}` : ""}`;
}

/** Takes over what follows the form in the page's content, and all of the form but its field. @param {HTMLFormElement} form @param {HTMLInputElement} field @param {HTMLFormElement} found */
function replaceList(form, field, found) {
  const kept = field.closest("label") ?? field;
  for (const child of [...form.children]) if (child !== kept) child.remove();
  let before = true;
  for (const child of [...found.children]) {
    if (child.querySelector("[data-search]")) before = false;
    else if (before) kept.before(child);
    else form.append(child);
  }
  /** @type {Element | null} */ let old = form;
  /** @type {Element | null} */ let fresh = found;
  while (old && fresh && !old.matches(".content")) {
    replaceFollowing(old, fresh);
    old = old.parentElement;
    fresh = fresh.parentElement;
  }
  /** @type {any} */ (window).htmx?.process(document.body);
}

/** @param {Element} old @param {Element} fresh */
function replaceFollowing(old, fresh) {
  while (old.nextElementSibling) old.nextElementSibling.remove();
  let last = old;
  for (let next = fresh.nextElementSibling; next; next = fresh.nextElementSibling) {
    last.after(next);
    last = next;
  }
}
