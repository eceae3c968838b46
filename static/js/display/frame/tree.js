// The page's tree as the server numbered it: elements by data-v, texts by their ordinal in their element.

import { clean } from "./text.js";

/** @typedef {import("../places.js").Place} Place */

/** The elements of the page by their number. */
export const elements = indexed();

function indexed() {
  /** @type {Element[]} */ const found = [];
  for (const element of document.querySelectorAll("[data-v]")) found[Number(element.getAttribute("data-v"))] = element;
  return found;
}

/** The text() children of an element as XPath counts them: comments and elements separate them. @param {Element} element @returns {Text[][]} */
export function runsOf(element) {
  const runs = [];
  let run = null;
  for (const child of element.childNodes) {
    if (!(child instanceof Text)) run = null;
    else if (child.data) {
      if (!run) runs.push((run = []));
      run.push(child);
    }
  }
  return runs;
}

/** A text with its white space as it is. @param {Text[]} run */
export const rawOf = (run) => run.map((text) => text.data).join("");

/** @param {Element} element */
export const indexOf = (element) => Number(element.getAttribute("data-v"));

/** @param {Place} place @returns {Text[] | null} */
export function runAt(place) {
  const element = elements[place.node];
  return (element && place.kind === "text" && runsOf(element)[(place.text ?? 0) - 1]) || null;
}

/** The place of a text node. @param {Text} text @returns {Place | null} */
export function placeOfText(text) {
  const element = text.parentElement;
  if (!element?.hasAttribute("data-v")) return null;
  const ordinal = runsOf(element).findIndex((run) => run.includes(text)) + 1;
  return ordinal ? { node: indexOf(element), kind: "text", text: ordinal } : null;
}

/** The element that shows an attribute on a page of XML; null on other pages. @param {Place} place */
export function shownAttribute(place) {
  return [...(elements[place.node]?.children ?? [])].find((child) => child.getAttribute("data-v-key") === place.attribute) ?? null;
}

/** What a place gives, cleaned. @param {Place} place */
export function valueOf(place) {
  const element = elements[place.node];
  if (!element) return "";
  if (place.kind === "attribute" && shownAttribute(place)) return clean(shownAttribute(place)?.getAttribute("data-v-text") ?? "");
  if (place.kind === "attribute") return clean(element.getAttribute(`data-v-${place.attribute}`) ?? element.getAttribute(place.attribute ?? "") ?? "");
  const run = runAt(place);
  const value = clean(run ? rawOf(run) : element.textContent ?? "");
  return place.start === undefined ? value : [...value].slice(place.start, place.end).join("");
}
