// The layer of outlines above the page.

import { keyOf } from "../places.js";
import { inside, rectsOf } from "./boxes.js";
import { state } from "./state.js";
import { valueOf } from "./tree.js";

/** @typedef {import("../places.js").Place} Place @typedef {import("../messages.js").Mark} Mark */

const HUES = ["#1560ae", "#a8430b", "#0a6f45", "#b01a64", "#6d35d0", "#7d5800", "#0b6a79", "#4f680a"]; // The light hues of tokens.css: pages are light.
const TIP = 160; // Characters of a value that the tip shows.

/** The boxes of marks on the page. @type {{id: string, rect: DOMRect}[]} */ let drawn = [];

const LAYER = `
  .box { position: absolute; box-sizing: border-box; border-radius: 3px; pointer-events: none; border: 2px solid var(--c);
    background: color-mix(in srgb, var(--c) 9%, transparent); box-shadow: 0 0 0 1px rgb(255 255 255 / 85%); }
  .box.dashed { border-style: dashed; background: color-mix(in srgb, var(--c) 5%, transparent); }
  .box.dotted { border-style: dotted; background: none; }
  .box.quiet { border-width: 1px; }
  .box.hover { background: color-mix(in srgb, var(--c) 14%, transparent); }
  .box.cursor { outline: 2px solid var(--c); outline-offset: 3px; }
  .name, .key, .tip { position: absolute; pointer-events: none; font: 500 11px/15px system-ui, sans-serif; color: #fff; background: var(--c); white-space: nowrap; }
  .name { padding: 0 4px; border-radius: 3px 3px 0 0; }
  .key { margin: 9px 0 0 -7px; min-width: 13px; text-align: center; font-size: 9px; line-height: 13px; border-radius: 3px; box-shadow: 0 0 0 1px #fff; }
  .key:empty { display: none; }
  .tip { padding: 3px 7px; border-radius: 4px; max-width: min(520px, 80vw); overflow: hidden; text-overflow: ellipsis; background: #191e29; box-shadow: 0 2px 10px rgb(0 0 0 / 30%);
    border-left: 4px solid var(--c); }
  .tip i { margin-left: 8px; opacity: 0.75; }
  .tip b { font-weight: 600; margin-right: 6px; }
`;

const host = document.createElement("v-layer");
host.setAttribute("style", "all: initial !important; position: absolute !important; top: 0 !important; left: 0 !important; width: 0 !important; height: 0 !important; display: block !important; z-index: 2147483647 !important; pointer-events: none !important;");
const layer = host.attachShadow({ mode: "closed" });
const under = document.createElement("div");
const over = document.createElement("div");
const sheet = document.createElement("style");
sheet.textContent = LAYER;
layer.append(sheet, under, over);
document.documentElement.append(host);

/** @param {DOMRect} rect @param {string} look @param {string} colour */
function box(rect, look, colour) {
  const origin = host.getBoundingClientRect();
  const element = document.createElement("div");
  element.className = `box ${look}`;
  const left = Math.max(0, rect.left - origin.left - 3); // What begins at the page's edge keeps its left side.
  element.style.cssText = `left: ${left}px; top: ${rect.top - origin.top - 2}px; width: ${rect.right - origin.left + 3 - left}px; height: ${rect.height + 4}px`;
  element.style.setProperty("--c", colour);
  return element;
}

/** @param {DOMRect} rect @param {string} className @param {string} colour */
function sign(rect, className, colour) {
  const origin = host.getBoundingClientRect();
  const element = document.createElement("div");
  element.className = className;
  element.style.cssText = `left: ${rect.left - origin.left - 3}px; top: ${rect.top - origin.top - 17}px`;
  element.style.setProperty("--c", colour);
  return element;
}

export function drawMarks() {
  drawn = [];
  const boxes = [];
  const named = new Set();
  for (const mark of state.marks) {
    const colour = HUES[mark.hue % HUES.length];
    for (const rect of rectsOf(mark.location)) {
      drawn.push({ id: mark.id, rect: new DOMRect(rect.left + scrollX, rect.top + scrollY, rect.width, rect.height) });
      boxes.push(box(rect, `${mark.look}${mark.current ? "" : " quiet"}`, colour));
      if (!mark.name || named.has(mark.name)) continue;
      named.add(mark.name);
      boxes.push(nameTag(mark, rect, colour));
    }
  }
  under.replaceChildren(...boxes);
}

/** The name of the current attribute, or the key of another one: in the corner, so that it hides nothing. @param {Mark} mark @param {DOMRect} rect @param {string} colour */
function nameTag(mark, rect, colour) {
  const tag = sign(rect, mark.current ? "name" : "key", colour);
  tag.textContent = mark.current ? mark.name : mark.key;
  return tag;
}

/** The ids of the marks at a point of the window where they are now: the page may have moved since they were drawn. @param {number} x @param {number} y */
export function marksNow(x, y) {
  drawMarks();
  return marksAt(x, y);
}

/** The ids of the marks at a point of the window, as they were drawn. @param {number} x @param {number} y */
export function marksAt(x, y) {
  const hit = drawn.filter(({ rect }) => inside(rect, x + scrollX, y + scrollY, 2));
  return [...new Set(hit.map(({ id }) => id))];
}

export function drawPointer() {
  const colour = HUES[state.mode.hue % HUES.length];
  const boxes = [];
  if (state.cursor) boxes.push(...rectsOf(state.cursor).map((rect) => box(rect, "cursor", colour)));
  const shown = state.hovered ?? state.cursor;
  if (state.hovered) boxes.push(...rectsOf(state.hovered).map((rect) => box(rect, "hover", colour)));
  const rect = shown && rectsOf(shown)[0];
  if (shown && rect) boxes.push(tip(rect, shown, colour));
  over.replaceChildren(...boxes);
  const last = over.lastElementChild;
  if (!(last instanceof HTMLElement) || last.className !== "tip") return;
  const out = last.getBoundingClientRect().right - document.documentElement.clientWidth + 8;
  if (out > 0) last.style.left = `${parseFloat(last.style.left) - out}px`;
}

/** @param {DOMRect} rect @param {Place} place @param {string} colour */
function tip(rect, place, colour) {
  const element = sign(rect, "tip", colour);
  const below = rect.bottom + 30 < innerHeight;
  const origin = host.getBoundingClientRect();
  element.style.top = `${(below ? Math.min(rect.bottom, innerHeight - 30) + 5 : Math.max(rect.top - 28, 4)) - origin.top}px`;
  const name = document.createElement("b");
  name.textContent = state.mode.name + (place.kind === "attribute" ? ` @${place.attribute}` : "");
  const value = valueOf(place);
  element.append(name, value.length > TIP ? `${value.slice(0, TIP)}…` : value);
  const effect = effectOn(place, rect);
  if (effect) element.append(Object.assign(document.createElement("i"), { textContent: effect }));
  return element;
}

/** What a click does to a value that is marked or proposed; "" where it marks a new one. @param {Place} place @param {DOMRect} rect */
function effectOn(place, rect) {
  const same = state.marks.find((mark) => mark.current && mark.look !== "dotted" && keyOf(mark.location) === keyOf(place));
  if (same?.look === "solid") return "click to remove it";
  if (!state.mode.multiple) return "";
  if (same) return "click to leave it out and confirm the others";
  const around = marksAt((rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2);
  const larger = state.marks.some((mark) => mark.current && mark.look === "dashed" && around.includes(mark.id));
  return larger ? "click to take this part instead" : "";
}

let waiting = false;

/** Redraws everything in the next frame, because the page has moved. */
export function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    state.candidates = null;
    drawMarks();
    drawPointer();
  });
}
