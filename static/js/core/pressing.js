// A part of a screen that is replaced every second would swallow a click that is under way in it. It waits for the next time.

/** @type {EventTarget | null} */ let pressed = null;

/** Holds back the refresh of a part while a person presses something in it. */
export function holdRefreshes() {
  document.addEventListener("pointerdown", (event) => { pressed = event.target; }, true);
  for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => setTimeout(() => { pressed = null; }), true);
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { detail, target } = /** @type {CustomEvent} */ (event);
    const asked = Boolean(detail.requestConfig?.triggeringEvent); // A refresh has no event of a person.
    if (!asked && pressed instanceof Node && target instanceof Node && target.contains(pressed)) detail.shouldSwap = false;
  });
}
