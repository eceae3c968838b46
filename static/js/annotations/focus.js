// What the arrow keys act on: a value that was just marked, or the keyboard's cursor.

import { toast } from "../core/toasts.js";
import { gettext } from "../core/words.js";
import { samePlace } from "../display/places.js";
import { attributeOf, standing } from "./store.js";

/** @typedef {import("./bench.js").Bench} Bench @typedef {import("./bench.js").Focusing} Focusing @typedef {import("../display/places.js").Place} Place */

/** @param {Bench} bench @returns {Focusing} */
export function createFocusing(bench) {
  /** @type {import("./bench.js").Focus | null} */ let focus = null;
  // What to do with the place once the server has described it, because a key can come first.
  /** @type {((place: import("./trail.js").Described) => Place | null) | null} */ let waiting = null;

  function dropFocus() {
    focus = waiting = null;
    bench.say({ type: "cursor", location: null });
  }

  /** @param {number | null} attribute @param {Place} location */
  async function setFocus(attribute, location) {
    const mine = (focus = { attribute, page: bench.store.page, location, place: /** @type {import("./trail.js").Described | null} */ (null) });
    waiting = null;
    bench.drawFocus();
    try {
      const place = await bench.api.get("place/", { page: mine.page, location: JSON.stringify(location) });
      if (focus !== mine) return;
      focus.place = place;
      bench.drawFocus();
      if (waiting) adjust(waiting);
    } catch (error) {
      if (focus === mine) bench.fail(error);
    }
  }

  /** Moves the focus to the place that a function returns for it. Without a focus, the last value of the current attribute gets it.
   * @param {(place: import("./trail.js").Described) => Place | null} how */
  function adjust(how) {
    if (!focus) {
      const value = standing(bench.store, bench.store.current, bench.store.page).values.at(-1);
      if (!value) return toast(gettext("Click a value on the page first."));
      setFocus(bench.store.current, value.location);
    }
    if (!focus?.place) {
      waiting = how;
      return;
    }
    waiting = null;
    const to = how(focus.place);
    if (to) adjustTo(to);
  }

  /** Moves the focus; a marked value moves along. @param {Place} to */
  function adjustTo(to) {
    if (!focus) return;
    if (focus.attribute === null) {
      bench.say({ type: "cursor", location: to });
      setFocus(null, to);
      return;
    }
    const { attribute: id, location: from } = focus;
    const attribute = attributeOf(bench.store, id);
    if (!attribute) return;
    const { values } = standing(bench.store, id, bench.store.page);
    const others = values.filter((value) => !samePlace(value.location, from) && !samePlace(value.location, to));
    bench.mark(attribute, [...others, { location: to, value: "…" }], to);
  }

  return { focus: () => focus, setFocus, dropFocus, adjust, adjustTo };
}
