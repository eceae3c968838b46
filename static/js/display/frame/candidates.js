// The places that the keyboard steps through: all that can be marked, in the order of the page.

import { merged, rectsOf, rectsOfNodes, show } from "./boxes.js";
import { drawPointer } from "./layer.js";
import { placeOfImage, placeOfShown } from "./pointing.js";
import { say, state } from "./state.js";
import { clean } from "./text.js";
import { elements, placeOfText, valueOf } from "./tree.js";

/** @typedef {import("../places.js").Place} Place */

/** All visible texts in the order of the page; on a page of XML its attributes too. For an attribute of type image, all images. @returns {Place[]} */
function allCandidates() {
  if (state.mode.kind === "image" && !document.documentElement.hasAttribute("data-v-xml")) {
    return [...document.querySelectorAll("img[data-v]")].filter((image) => image.getClientRects().length).map(placeOfImage);
  }
  const found = [];
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    if (text instanceof Element && text.hasAttribute("data-v-key")) found.push(placeOfShown(text));
    if (!(text instanceof Text)) continue;
    if (!clean(text.data) || !text.parentElement?.getClientRects().length) continue;
    const place = placeOfText(text);
    if (place && merged(rectsOfNodes(text, text)).length) found.push(place);
  }
  return found;
}

/** The number of the candidate `step` away from the cursor, or the first on the screen. @param {Place[]} all @param {number} step */
function nextFrom(all, step) {
  const from = state.cursor;
  if (!from) return Math.max(0, all.findIndex((place) => (rectsOf(place)[0]?.bottom ?? -1) > 0));
  const same = all.findIndex((place) => place.node === from.node && place.kind === from.kind && place.text === from.text && place.attribute === from.attribute);
  if (same >= 0) return same + step;
  const after = all.findIndex((place) => place.node === from.node || elements[from.node]?.compareDocumentPosition(elements[place.node]) & Node.DOCUMENT_POSITION_FOLLOWING);
  return after < 0 ? all.length - 1 : after + (step > 0 ? step - 1 : step);
}

/** Moves the cursor by a number of candidates. @param {number} step */
export function move(step) {
  state.candidates ??= allCandidates();
  if (!state.candidates.length) return;
  state.cursor = state.candidates[Math.min(state.candidates.length - 1, Math.max(0, nextFrom(state.candidates, step)))];
  state.hovered = null;
  show(state.cursor);
  drawPointer();
  say({ type: "cursor", location: state.cursor, value: valueOf(state.cursor) });
}
