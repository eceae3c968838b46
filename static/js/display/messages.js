// What the workbench and the frame of a page say to each other, over one MessagePort.
//
// The frame shows an untrusted page. Its script is ours and the page's own cannot run, but what comes out of it is checked
// all the same: `readMessage` returns a message of a known form or null, and its texts are only ever shown as text.

/** @typedef {import("./places.js").Place} Place */

/**
 * An outline on the page. look: solid for a marked value, dashed for a proposed one, dotted for one offered as similar. key: the key that chooses its attribute.
 * @typedef {{id: string, location: Place, hue: number, look: "solid" | "dashed" | "dotted", name: string, key: string, current: boolean}} Mark
 *
 * To the frame.
 * @typedef {{type: "mode", kind: string, hue: number, name: string, multiple: boolean, like: Place | null} | {type: "marks", marks: Mark[]} | {type: "show", location: Place}
 *   | {type: "move", step: number} | {type: "cursor", location: Place | null} | {type: "follow"} | {type: "scroll", by: number} | {type: "styles", on: boolean} | {type: "overlays", on: boolean}
 *   | {type: "dimmed", nodes: number[]}} ToFrame
 *
 * From the frame.
 * @typedef {{type: "ready"} | {type: "hover", location: Place | null, value: string} | {type: "click", location: Place, value: string, marks: string[]}
 *   | {type: "scroll", by: number} | {type: "part", location: Place, value: string} | {type: "cursor", location: Place, value: string}
 *   | {type: "key", key: string, ctrl: boolean, shift: boolean, alt: boolean}} FromFrame
 */

const KINDS = new Set(["text", "element", "attribute"]);
const LONGEST = 20_000;

/** @param {unknown} value @returns {value is number} */
const whole = (value) => Number.isInteger(value) && /** @type {number} */ (value) >= 0;

/** @param {any} place @returns {Place | null} */
export function readPlace(place) {
  if (typeof place !== "object" || place === null || !whole(place.node) || !KINDS.has(place.kind)) return null;
  /** @type {Place} */
  const read = { node: place.node, kind: place.kind };
  if (place.kind === "text") {
    if (!whole(place.text) || place.text < 1) return null;
    read.text = place.text;
  }
  if (place.kind === "attribute") {
    if (typeof place.attribute !== "string" || !place.attribute) return null;
    read.attribute = place.attribute;
  }
  if (place.start !== undefined) {
    if (!whole(place.start) || !whole(place.end) || place.start >= place.end) return null;
    read.start = place.start;
    read.end = place.end;
  }
  return read;
}

/** @param {any} data @returns {FromFrame | null} */
export function readMessage(data) {
  if (typeof data !== "object" || data === null) return null;
  const value = typeof data.value === "string" ? data.value.slice(0, LONGEST) : "";
  const location = readPlace(data.location);
  switch (data.type) {
    case "ready":
      return { type: "ready" };
    case "hover":
      return { type: "hover", location, value };
    case "click":
      return location && { type: "click", location, value, marks: Array.isArray(data.marks) ? data.marks.map(String) : [] };
    case "part":
    case "cursor":
      return location && { type: data.type, location, value };
    case "scroll":
      return Number.isFinite(data.by) ? { type: "scroll", by: data.by } : null;
    case "key":
      return typeof data.key === "string" ? { type: "key", key: data.key, ctrl: !!data.ctrl, shift: !!data.shift, alt: !!data.alt } : null;
    default:
      return null;
  }
}
