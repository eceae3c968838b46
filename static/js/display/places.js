// Places on a page.

/**
 * A place on a page, as the server's `Location`.
 * @typedef {{node: number, kind: "text" | "element" | "attribute", text?: number, attribute?: string, start?: number, end?: number}} Place
 */

/** A place as the key of a Map. @param {Place} place */
export function keyOf(place) {
  return [place.node, place.kind, place.text ?? 0, place.attribute ?? "", place.start ?? "", place.end ?? ""].join("|");
}

/** @param {Place} a @param {Place} b */
export const samePlace = (a, b) => keyOf(a) === keyOf(b);
