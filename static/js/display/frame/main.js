// The one script in the frame of an untrusted page. It reports what the pointer is on and what was clicked as places in
// the server's tree (element index, text ordinal, offsets), and draws outlines on a layer of its own. It never changes
// the page's tree. The server writes it into the page, with the modules it imports, as the body of one function.
// It speaks over one MessagePort, the first that the window around it hands over.

import { show } from "./boxes.js";
import { move } from "./candidates.js";
import { drawMarks, drawPointer, marksNow, redraw } from "./layer.js";
import { pinOverlays, showOverlays } from "./overlays.js";
import { placeAt, selectedPlace } from "./pointing.js";
import { followScroll, scrollAlong } from "./scrolling.js";
import { say, state, usePort } from "./state.js";
import { elements, valueOf } from "./tree.js";

/** @typedef {import("../messages.js").ToFrame} ToFrame */

const NATIVE = new Set(["PageUp", "PageDown", "Home", "End", " ", "Tab"]);

/** Whether the mouse button that was pressed last selected a part of a text. */
let dragged = false;

/** @param {ToFrame} message */
function hear(message) {
  switch (message.type) {
    case "mode": return setMode(message);
    case "marks": return setMarks(message.marks);
    case "show": return show(message.location);
    case "move": return move(message.step);
    case "cursor": return setCursor(message.location);
    case "styles": return setStyles(message.on);
    case "follow": return followScroll();
    case "scroll": return scrollAlong(message.by);
    case "overlays":
      showOverlays(message.on);
      return redraw();
    case "dimmed": return dim(message.nodes);
  }
}

/** @param {Extract<ToFrame, {type: "mode"}>} message */
function setMode({ kind, hue, name, multiple, like }) {
  if (state.mode.kind !== kind) state.candidates = null;
  state.mode = { kind, hue, name, multiple, like };
  if (state.hovered) hover();
  drawPointer();
}

/** @param {import("../messages.js").Mark[]} marks */
function setMarks(marks) {
  state.marks = marks;
  drawMarks();
}

/** @param {import("../places.js").Place | null} location */
function setCursor(location) {
  state.cursor = location;
  if (location) {
    state.hovered = null;
    show(location);
  }
  drawPointer();
}

/** @param {boolean} on */
function setStyles(on) {
  for (const element of document.querySelectorAll("style[data-v], link[data-v]")) {
    if ((element instanceof HTMLStyleElement || element instanceof HTMLLinkElement) && element.sheet) element.sheet.disabled = !on;
  }
  redraw();
}

/** @param {number[]} nodes */
function dim(nodes) {
  for (const element of document.querySelectorAll("[data-v-dim]")) element.removeAttribute("data-v-dim");
  for (const node of nodes) elements[node]?.setAttribute("data-v-dim", "");
}

function hover() {
  const { x, y, target } = state.pointer;
  const place = target ? placeAt(x, y, target) : null;
  if (JSON.stringify(place) === JSON.stringify(state.hovered)) return;
  state.hovered = place;
  drawPointer();
  say({ type: "hover", location: place, value: place ? valueOf(place) : "" });
}

/** @param {MouseEvent} event */
function pointerMoved(event) {
  const idle = state.pointer.target === null;
  state.pointer = { x: event.clientX, y: event.clientY, target: event.target instanceof Element ? event.target : null };
  if (event.buttons) return;
  if (idle) hover();
  else requestAnimationFrame(hover);
}

/** @param {MouseEvent} event */
function pointerLeft(event) {
  if (event.target !== document) return;
  state.pointer.target = null;
  hover();
}

function buttonReleased() {
  const place = selectedPlace();
  if (!place) return;
  dragged = true;
  document.getSelection()?.removeAllRanges();
  state.cursor = null;
  say({ type: "part", location: place, value: valueOf(place) });
}

/** @param {MouseEvent} event */
function clicked(event) {
  event.preventDefault();
  event.stopPropagation();
  if (dragged || event.button !== 0) return;
  const place = placeAt(event.clientX, event.clientY, event.target instanceof Element ? event.target : null);
  if (!place) return;
  state.cursor = null;
  say({ type: "click", location: place, value: valueOf(place), marks: marksNow(event.clientX, event.clientY) });
}

/** @param {KeyboardEvent} event */
function keyPressed(event) {
  const undo = event.key.toLowerCase() === "z" || event.key === "y";
  if (((event.ctrlKey || event.metaKey) && !undo) || NATIVE.has(event.key) || /^F\d/.test(event.key)) return;
  event.preventDefault();
  say({ type: "key", key: event.key, ctrl: event.ctrlKey || event.metaKey, shift: event.shiftKey, alt: event.altKey });
}

function listen() {
  const capture = { capture: true };
  document.addEventListener("mousemove", pointerMoved, capture);
  document.addEventListener("mouseleave", pointerLeft, capture);
  document.addEventListener("mousedown", () => { dragged = false; }, capture);
  document.addEventListener("mouseup", buttonReleased, capture);
  document.addEventListener("click", clicked, capture);
  document.addEventListener("keydown", keyPressed, capture);
  for (const name of ["dragstart", "submit", "auxclick"]) document.addEventListener(name, (event) => event.preventDefault(), capture);
  document.addEventListener("scroll", (event) => { if (event.target !== document) redraw(); }, capture);
}

function watch() {
  addEventListener("resize", redraw);
  new ResizeObserver(redraw).observe(document.documentElement);
  for (const image of document.images) if (!image.complete) image.addEventListener("load", redraw, { once: true });
}

addEventListener("message", function handOver(event) {
  if (event.source !== window.parent || !event.ports[0]) return;
  removeEventListener("message", handOver);
  usePort(event.ports[0]);
  event.ports[0].onmessage = (message) => hear(message.data);
  listen();
  say({ type: "ready" });
});

/** @type {(import("../places.js").Place & {hue?: number})[]} */
const given = JSON.parse(document.querySelector("script[data-marks]")?.getAttribute("data-marks") || "[]");
state.marks = given.map(({ hue = 0, ...location }, number) => ({ id: String(number), location, hue, look: "solid", name: "", key: "", current: true }));
pinOverlays();
addEventListener("load", () => { pinOverlays(); redraw(); }); // Pictures and fonts may have moved what is fixed.
watch();
drawMarks();
if (given[0]) show(given[0]);
