// A breakage's page as it was and as it is: the two scroll together, and keys pressed on them are the screen's.
import { pageFrame } from "../display/pageframe.js";

const frames = [...document.querySelectorAll("iframe[data-side]")];

/** @type {ReturnType<typeof pageFrame>[]} */
const sides = frames.map((frame, side) => pageFrame(frame, frame.parentElement, (message) => {
  if (message.type === "ready") sides[side].say({ type: "follow" });
  else if (message.type === "scroll") sides.forEach((other, n) => n !== side && other.say(message));
  else if (message.type === "key" && !message.ctrl && !message.alt) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: message.key, bubbles: true, cancelable: true }));
  }
}));

const show = () => frames.forEach((frame, side) => sides[side].show(frame.dataset.address));

show();

// What the pages need to look right was loaded meanwhile: they are shown once more.
document.addEventListener("htmx:afterSwap", function again() {
  if (!document.querySelector("#looks[data-loaded]")) return;
  document.removeEventListener("htmx:afterSwap", again);
  show();
});
