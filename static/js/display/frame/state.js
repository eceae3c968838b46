// What the frame knows, and how it speaks to the window around it.

/** @typedef {import("../places.js").Place} Place @typedef {import("../messages.js").Mark} Mark */

/**
 * mode: what a click takes. candidates: the places that the keyboard goes through, null when they must be found anew.
 * pointer: where the pointer is and on what.
 * @type {{mode: {kind: string, hue: number, name: string, multiple: boolean, like: Place | null}, marks: Mark[], hovered: Place | null, cursor: Place | null,
 *   candidates: Place[] | null, pointer: {x: number, y: number, target: Element | null}}}
 */
export const state = {
  mode: { kind: "text", hue: 0, name: "", multiple: false, like: null },
  marks: [],
  hovered: null,
  cursor: null,
  candidates: null,
  pointer: { x: -1, y: -1, target: null },
};

/** @type {MessagePort | null} */ let port = null;

/** Speaks through a port from now on. @param {MessagePort} given */
export function usePort(given) {
  port = given;
}

/** @param {import("../messages.js").FromFrame} message */
export function say(message) {
  port?.postMessage(message);
}
