// The keyboard of a screen. A screen with keys of its own says data-keys="own" on its body and is left alone.
//
// j, k move through whatever carries data-list (its children with data-item); Enter opens the first link of the item; x chooses it where it has a box;
// a letter that a link or button carries as data-key presses it; Esc goes to what carries data-back; / focuses data-search; g then a letter goes to the link with data-go="letter".

import { pickRow } from "./pick.js";

let chord = false;
let chordTimer = 0;

function typing(target) {
  return target.closest?.("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], iframe") !== null;
}

function items() {
  return [...document.querySelectorAll("[data-list] [data-item]")].filter((item) => item.offsetParent !== null);
}

function move(step) {
  const all = items();
  if (!all.length) return;
  const from = all.findIndex((item) => item.classList.contains("at"));
  const to = Math.min(all.length - 1, Math.max(0, from + step));
  if (from >= 0) all[from].classList.remove("at");
  all[to].classList.add("at");
  all[to].scrollIntoView({ block: "nearest" });
}

function open() {
  const item = document.querySelector("[data-item].at");
  if (!item) return false;
  const link = item.matches("a[href]") ? item : item.querySelector("a[data-open], a[href]");
  link?.click();
  return Boolean(link);
}

function back() {
  const menu = document.querySelector("details.menu[open]");
  if (menu) menu.open = false;
  else if (document.querySelector("[data-item].at")) document.querySelector("[data-item].at").classList.remove("at");
  else document.querySelector("[data-back]")?.click();
}

function go(letter) {
  document.querySelector(`[data-go="${CSS.escape(letter)}"]`)?.click();
}

function plain(event) {
  if (chord) {
    chord = false;
    go(event.key);
    return true;
  }
  const keyed = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (keyed) {
    keyed.click();
    return true;
  }
  switch (event.key) {
    case "g":
      chord = true;
      clearTimeout(chordTimer);
      chordTimer = setTimeout(() => { chord = false; }, 1200);
      return true;
    case "j": move(1); return true;
    case "k": move(-1); return true;
    case "Enter": return event.target.closest?.("a, button, summary") ? false : open();
    case "x": return pickRow();
    case "Escape": back(); return true;
    case "?": document.getElementById("keys")?.showModal(); return true;
    case "/": {
      const search = document.querySelector("[data-search]");
      search?.focus();
      search?.select();
      return Boolean(search);
    }
    default: return false;
  }
}

export function listen() {
  if (document.body.dataset.keys === "own") return;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]")) return;
    if (typing(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (plain(event)) event.preventDefault();
  });
}
