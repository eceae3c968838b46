// Where a place is on the screen.

import { clean, spansOf } from "./text.js";
import { elements, rawOf, runAt, shownAttribute } from "./tree.js";

/** @typedef {import("../places.js").Place} Place */

/** @param {Node} first @param {Node} last */
export function rectsOfNodes(first, last) {
  const range = document.createRange();
  range.setStartBefore(first);
  range.setEndAfter(last);
  return range.getClientRects();
}

/** @param {Place} place @returns {DOMRect[]} */
export function rectsOf(place) {
  const element = elements[place.node];
  if (!element) return [];
  const run = runAt(place);
  if (run) return merged(place.start === undefined ? rectsOfNodes(run[0], run[run.length - 1]) : rectsOfPart(run, place));
  if (place.kind === "text") return [];
  const shown = place.kind === "attribute" && shownAttribute(place);
  if (shown) return merged(shown.getClientRects());
  const own = place.kind === "element" ? merged(rectsOfTexts(element)) : [];
  if (own.length) return own;
  const box = merged(element.getClientRects());
  return box.length ? box : merged(rectsOfNodes(element, element));
}

/** Where the texts and pictures of an element are. The element's own box may be wider: a block runs under what floats beside it. @param {Element} element */
function rectsOfTexts(element) {
  const rects = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node instanceof Text ? clean(node.data) : node instanceof Element && node.localName === "img") rects.push(...rectsOfNodes(node, node));
  }
  return rects;
}

/** @param {Text[]} run @param {Place} place */
function rectsOfPart(run, place) {
  const spans = spansOf(rawOf(run));
  const first = spans[place.start ?? 0];
  const last = spans[Math.min(place.end ?? spans.length, spans.length) - 1];
  if (!first || !last) return [];
  const range = document.createRange();
  range.setStart(...pointIn(run, first.from));
  range.setEnd(...pointIn(run, last.to));
  return range.getClientRects();
}

/** @param {Text[]} run @param {number} offset @returns {[Text, number]} */
function pointIn(run, offset) {
  for (const text of run) {
    if (offset <= text.data.length) return [text, offset];
    offset -= text.data.length;
  }
  const last = run[run.length - 1];
  return [last, last.data.length];
}

/** One box around all: a paragraph has one outline, not one for each line. @param {Iterable<DOMRect>} rects */
export function merged(rects) {
  const shown = [...rects].filter((rect) => rect.width > 0 && rect.height > 0);
  if (shown.length < 2) return shown;
  const left = Math.min(...shown.map((rect) => rect.left));
  const top = Math.min(...shown.map((rect) => rect.top));
  const right = Math.max(...shown.map((rect) => rect.right));
  const bottom = Math.max(...shown.map((rect) => rect.bottom));
  return [new DOMRect(left, top, right - left, bottom - top)];
}

/** @param {DOMRect} rect @param {number} x @param {number} y @param {number} slack */
export const inside = (rect, x, y, slack) => x >= rect.left - slack && x <= rect.right + slack && y >= rect.top - slack && y <= rect.bottom + slack;

/** Scrolls the boxes around an element. `scrollIntoView` would also scroll the window that holds the frame. @param {Element} element */
function scrollBoxes(element) {
  for (let box = element.parentElement; box && box !== document.body && box !== document.documentElement; box = box.parentElement) {
    if (box.scrollHeight <= box.clientHeight && box.scrollWidth <= box.clientWidth) continue;
    if (getComputedStyle(box).overflow.split(" ").every((each) => each === "visible")) continue;
    const place = element.getBoundingClientRect();
    const around = box.getBoundingClientRect();
    if (place.top < around.top || place.bottom > around.bottom) box.scrollTop += place.top - around.top;
    if (place.left < around.left || place.right > around.right) box.scrollLeft += place.left - around.left;
  }
}

/** Brings a place into view. @param {Place} place */
export function show(place) {
  const element = elements[place.node];
  if (element) scrollBoxes(element);
  const rect = rectsOf(place)[0];
  if (!rect) return;
  if (rect.top < 40 || rect.bottom > innerHeight - 40) window.scrollBy(0, rect.top + rect.height / 2 - innerHeight / 3);
  if (rect.right < 40 || rect.left > innerWidth - 40) window.scrollBy(rect.left - 40, 0);
}
