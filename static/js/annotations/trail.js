// The line below the page: the path to the chosen place, and what else could be taken there.

import { h } from "../core/dom.js";
import { gettext } from "../core/words.js";
import { samePlace } from "../display/places.js";

/**
 * A place as the server describes it.
 * @typedef {{location: import("../display/places.js").Place, value: string, child: number | null, path: {node: number, label: string}[],
 *   options: {location: import("../display/places.js").Place, label: string, value: string}[]}} Described
 */

const SHOWN_STEPS = 7;

/** @param {HTMLElement} line @param {Described | null} place @param {(location: import("../display/places.js").Place) => void} choose */
export function drawTrail(line, place, choose) {
  if (!place) {
    line.replaceChildren(h("span", { class: "muted" }, gettext("Click a value on the page. j and k go from text to text, / searches, t opens the tree.")));
    return;
  }
  const steps = place.path.slice(-SHOWN_STEPS);
  line.replaceChildren(
    h(
      "ol",
      { class: "wb-path" },
      place.path.length > steps.length && h("li", { class: "muted" }, "…"),
      ...steps.map((step) => h("li", {}, h("button", { type: "button", class: "wb-step", title: gettext("Take the whole %(label)s element", { label: step.label }), on: { click: () => choose({ node: step.node, kind: "element" }) } }, step.label))),
    ),
    h("div", { class: "wb-options", role: "group", "aria-label": gettext("What to take here") }, ...place.options.map((option) => chip(option, place, choose))),
  );
  const path = line.querySelector(".wb-path");
  if (path) path.scrollLeft = path.scrollWidth;
}

/** @param {Described["options"][0]} option @param {Described} place @param {(location: import("../display/places.js").Place) => void} choose */
function chip(option, place, choose) {
  const chosen = samePlace({ ...place.location, start: undefined, end: undefined }, option.location);
  return h("button", { type: "button", class: "wb-option", "aria-pressed": String(chosen), title: option.value, on: { click: () => choose(option.location) } }, option.label);
}

/** The next wider place. @param {Described} place @returns {import("../display/places.js").Place | null} */
export function wider(place) {
  const { node, kind, start } = place.location;
  if (start !== undefined) return { ...place.location, start: undefined, end: undefined };
  const whole = place.options.find((option) => option.location.kind === "element");
  if (kind !== "element" && whole) return whole.location;
  const at = place.path.findIndex((step) => step.node === node);
  return at > 0 ? { node: place.path[at - 1].node, kind: "element" } : null;
}

/** The next narrower place: the first text, else the first child. @param {Described} place @returns {import("../display/places.js").Place | null} */
export function narrower(place) {
  if (place.location.kind !== "element") return null;
  const text = place.options.find((option) => option.location.kind === "text");
  if (text) return text.location;
  return place.child === null ? null : { node: place.child, kind: "element" };
}

/** The next place at the same element. @param {Described} place @returns {import("../display/places.js").Place | null} */
export function another(place) {
  if (!place.options.length) return null;
  const at = place.options.findIndex((option) => samePlace(option.location, place.location));
  return place.options[(at + 1) % place.options.length].location;
}
