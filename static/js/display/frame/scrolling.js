// Two versions of a page that scroll together: this one tells how far a person scrolled it, and follows the other.

import { say } from "./state.js";

/** The scroll position of this page that the other version knows. */
let scrolledTo = 0;

/** Starts to report how far a person scrolls. */
export function followScroll() {
  scrolledTo = scrollY;
  addEventListener("scroll", () => {
    const by = scrollY - scrolledTo;
    scrolledTo = scrollY;
    if (by) say({ type: "scroll", by });
  });
}

/** Scrolls as the other version did, without reporting it back. @param {number} by */
export function scrollAlong(by) {
  scrolledTo = scrollY + by;
  window.scrollBy(0, by);
  scrolledTo = scrollY;
}
