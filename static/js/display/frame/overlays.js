// What a page fixes to the window: headers, cookie banners, windows that cover all. The server writes "fixed" as
// `var(--v-pinned, static)`; here each such element is told apart once: what is a bar at the page's top stays there, what
// would cover what an editor wants to click is put where it is written in the page. One key takes all of them away.

const COVERS_FRACTION = 0.3; // of the window
const TOP_PX = 200;

/** @type {Element[]} */ let pinned = [];

/** Finds what is fixed and says where each of it goes. Styles must be there. */
function pinOverlays() {
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

/** @param {boolean} shown */
function showOverlays(shown) {
  for (const element of pinned) element.toggleAttribute("data-v-away", !shown);
}
