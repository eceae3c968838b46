// The keyboard of a screen. A screen with keys of its own has data-keys="own" on its body and is left alone.
//
// j and k move through the children with data-item of whatever has data-list. Enter opens the first link of the item.
// x selects the item where it has a checkbox. A letter in data-key presses the link or button that has it, once while it is held.
// Esc goes to data-back. / focuses data-search. g and then a letter follows the link with that letter in data-go.

import { all, maybe } from "./dom.js";
import { pickRow } from "./pick.js";

const CHORD_MS = 1200; // Time for the second key after g.
const FIELDS = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], iframe";

let chord = false;
let chordTimer = 0;

/** @param {number} step */
function move(step) {
  const items = all("[data-list] [data-item]", HTMLElement).filter((item) => item.offsetParent !== null);
  if (!items.length) return;
  const from = items.findIndex((item) => item.classList.contains("at"));
  const to = Math.min(items.length - 1, Math.max(0, from + step));
  if (from >= 0) items[from].classList.remove("at");
  items[to].classList.add("at");
  items[to].scrollIntoView({ block: "nearest" });
}

function open() {
  const item = maybe("[data-item].at", HTMLElement);
  if (!item) return false;
  const link = item.matches("a[href]") ? item : maybe("a[data-open], a[href]", HTMLElement, item);
  link?.click();
  return Boolean(link);
}

function back() {
  const menu = maybe("details.menu[open]", HTMLDetailsElement);
  const item = maybe("[data-item].at", HTMLElement);
  if (menu) menu.open = false;
  else if (item) item.classList.remove("at");
  else maybe("[data-back]", HTMLElement)?.click();
}

/** Leaves a field, and closes the menu that it is in. @param {HTMLElement} field */
function leave(field) {
  field.blur();
  const menu = field.closest("details.menu");
  if (menu instanceof HTMLDetailsElement) menu.open = false;
}

function startChord() {
  chord = true;
  clearTimeout(chordTimer);
  chordTimer = window.setTimeout(() => { chord = false; }, CHORD_MS);
}

function search() {
  const field = maybe("[data-search]", HTMLInputElement);
  field?.focus();
  field?.select();
  return Boolean(field);
}

/** Does what a key means outside of fields. @param {KeyboardEvent} event @param {Element} target @returns {boolean} whether the key meant anything */
function press(event, target) {
  const key = CSS.escape(event.key);
  if (chord) {
    chord = false;
    maybe(`[data-go="${key}"]`, HTMLElement)?.click();
    return true;
  }
  const keyed = maybe(`[data-key="${key}"]`, HTMLElement);
  if (keyed) {
    if (!event.repeat) keyed.click(); // A key that is held presses once: on the next screen it may mean another button.
    return true;
  }
  switch (event.key) {
    case "g": startChord(); return true;
    case "j": move(1); return true;
    case "k": move(-1); return true;
    case "Enter": return target.closest("a, button, summary") ? false : open();
    case "x": return pickRow();
    case "Escape": back(); return true;
    case "?": maybe("#keys", HTMLDialogElement)?.showModal(); return true;
    case "/": return search();
    default: return false;
  }
}

export function listenToKeys() {
  if (document.body.dataset.keys === "own") return;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]")) return;
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    if (target.closest(FIELDS)) {
      if (event.key === "Escape") leave(target);
      return;
    }
    if (press(event, target)) event.preventDefault();
  });
}
