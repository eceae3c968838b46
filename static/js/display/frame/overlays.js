// The parts of a page that are fixed to the window: headers, cookie banners, dialogs that cover the page. The server writes "fixed" as
// `var(--v-pinned, static)`. Here each such element is judged once: a bar at the page's top stays there; an element that
// would cover what an editor wants to click moves to where it is written in the page. One key hides them all.

const COVERS_FRACTION = 0.3; // Of the window's area.
const TOP_PX = 200;

/** @type {Element[]} */ let pinned = [];

/** Finds the fixed elements and decides where each one goes. The style sheets must be loaded. */
export function pinOverlays() {
  const root = document.documentElement;
  for (const element of pinned) element.removeAttribute("data-v-covers");
  root.style.setProperty("--v-pinned", "fixed");
  pinned = [...document.querySelectorAll("[data-v]")].filter((element) => getComputedStyle(element).position === "fixed");
  const covering = pinned.filter((element) => {
    const { width, height, top } = element.getBoundingClientRect();
    return width * height > COVERS_FRACTION * innerWidth * innerHeight || top > TOP_PX;
  });
  root.style.setProperty("--v-pinned", "absolute");
  for (const element of covering) element.setAttribute("data-v-covers", "");
}

/** Shows or hides the fixed elements. @param {boolean} shown */
export function showOverlays(shown) {
  for (const element of pinned) element.toggleAttribute("data-v-away", !shown);
}
