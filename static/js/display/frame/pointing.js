// What the pointer means: the place of a click, of a hover, of a selection.

import { inside, rectsOfNodes } from "./boxes.js";
import { state } from "./state.js";
import { clean, partOf } from "./text.js";
import { elements, indexOf, placeOfText, rawOf, runsOf } from "./tree.js";

/** @typedef {import("../places.js").Place} Place */

const SHORT = 300; // The most characters of an element with several texts that is marked as a whole. Nobody means all of a longer one.

/** @param {number} x @param {number} y @param {Element | null} target @returns {Place | null} */
export function placeAt(x, y, target) {
  const element = target?.closest("[data-v]");
  if (!element) return null;
  const sibling = siblingLike(element);
  if (sibling) return sibling;
  const attribute = target?.closest("[data-v-key]");
  if (attribute) return placeOfShown(attribute);
  const link = state.mode.kind === "url" ? element.closest("a[data-v-href]") : null;
  if (link) return { node: indexOf(link), kind: "attribute", attribute: "href" };
  if (element.localName === "img") return placeOfImage(element);
  if (element.getAttribute("data-v-value")) return { node: indexOf(element), kind: "attribute", attribute: "value" };
  const text = textAt(x, y);
  return text ? placeOfText(text) : placeInside(element);
}

/** The place of an attribute that is shown. @param {Element} shown @returns {Place} */
export function placeOfShown(shown) {
  return { node: indexOf(/** @type {Element} */ (shown.parentElement)), kind: "attribute", attribute: shown.getAttribute("data-v-key") ?? "" };
}

/** The element around this one that is like the last one taken whole; null if none is. @param {Element} element @returns {Place | null} */
function siblingLike(element) {
  const like = state.mode.like?.kind === "element" ? elements[state.mode.like.node] : null;
  if (!like) return null;
  const same = (/** @type {Element} */ other) =>
    other.localName === like.localName && other.className === like.className && other.parentElement?.localName === like.parentElement?.localName;
  for (let other = /** @type {Element | null} */ (element); other; other = other.parentElement) {
    if (same(other)) return { node: indexOf(other), kind: "element" };
  }
  return null;
}

/** @param {Element} image @returns {Place} */
export function placeOfImage(image) {
  const named = state.mode.kind !== "image" && state.mode.kind !== "url" && image.getAttribute("alt");
  return { node: indexOf(image), kind: "attribute", attribute: named ? "alt" : "src" };
}

/** The text node that is really under a point. @param {number} x @param {number} y @returns {Text | null} */
function textAt(x, y) {
  const node = document.caretPositionFromPoint ? document.caretPositionFromPoint(x, y)?.offsetNode : document.caretRangeFromPoint(x, y)?.startContainer;
  if (!(node instanceof Text) || !clean(node.data)) return null;
  return [...rectsOfNodes(node, node)].some((rect) => inside(rect, x, y, 3)) ? node : null;
}

/** For a point that is on no text: the only text of the element, or the whole element when it is short. @param {Element} element @returns {Place | null} */
function placeInside(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */ const texts = [];
  while (texts.length < 2 && walker.nextNode()) {
    const text = /** @type {Text} */ (walker.currentNode);
    if (clean(text.data) && text.parentElement?.localName !== "style") texts.push(text);
  }
  if (texts.length === 1) return placeOfText(texts[0]);
  return texts.length && clean(element.textContent ?? "").length <= SHORT ? { node: indexOf(element), kind: "element" } : null;
}

/** The selected part of one text, or the element around several texts. @returns {Place | null} */
export function selectedPlace() {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || !selection.rangeCount) return null;
  const range = selection.getRangeAt(0);
  const { startContainer: first, endContainer: last } = range;
  const run = first instanceof Text && first.parentElement ? runsOf(first.parentElement).find((texts) => texts.includes(first)) : undefined;
  if (!run || !(first instanceof Text) || !(last instanceof Text) || !run.includes(last)) return placeAround(range);
  const place = placeOfText(run[0]);
  if (!place) return null;
  const before = (/** @type {Text} */ node) => run.slice(0, run.indexOf(node)).reduce((sum, text) => sum + text.data.length, 0);
  return placeOfPart(place, rawOf(run), before(first) + range.startOffset, before(last) + range.endOffset);
}

/** @param {Place} place @param {string} raw @param {number} from @param {number} to @returns {Place | null} */
function placeOfPart(place, raw, from, to) {
  const part = partOf(raw, from, to);
  if (!part) return null;
  return part.whole ? place : { ...place, start: part.start, end: part.end };
}

/** @param {Range} range @returns {Place | null} */
function placeAround(range) {
  const holder = range.commonAncestorContainer;
  const element = (holder instanceof Element ? holder : holder.parentElement)?.closest("[data-v]");
  return element && element !== document.documentElement ? { node: indexOf(element), kind: "element" } : null;
}
