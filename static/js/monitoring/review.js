// A breakage's page before and now. The two scroll together, and keys pressed in them count as keys of the screen.

import { all } from "../core/dom.js";
import { pageFrame } from "../display/pageframe.js";

const frames = all("iframe[data-side]", HTMLIFrameElement);

/** @type {ReturnType<typeof pageFrame>[]} */
const sides = frames.map((frame, side) => pageFrame(frame, frame.parentElement ?? document.body, (message) => {
  if (message.type === "ready") sides[side].say({ type: "follow" });
  else if (message.type === "scroll") sides.forEach((other, number) => number !== side && other.say(message));
  else if (message.type === "key" && !message.ctrl && !message.alt) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: message.key, bubbles: true, cancelable: true }));
  }
}));

const show = () => frames.forEach((frame, side) => sides[side].show(frame.dataset.address));

show();

// The files that the pages need to look right were loaded meanwhile: show the pages once more.
document.addEventListener("htmx:afterSwap", function again() {
  if (!document.querySelector("#looks[data-loaded]")) return;
  document.removeEventListener("htmx:afterSwap", again);
  show();
});
