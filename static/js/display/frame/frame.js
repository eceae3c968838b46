// The one script in the frame of an untrusted page. It reports what the pointer is on and what was clicked as places in
// the server's tree (element index, text ordinal, offsets), and draws outlines on a layer of its own. It never changes
// the page's tree. It is written into the page by the server, as the body of a function, so it imports nothing. It speaks over one MessagePort,
// the first that the window around it hands over.

/** @typedef {import("../messages.js").Place} Place @typedef {import("../messages.js").Mark} Mark */

const HUES = ["#1560ae", "#a8430b", "#0a6f45", "#b01a64", "#6d35d0", "#7d5800", "#0b6a79", "#4f680a"]; // tokens.css, light: pages are
const SHORT = 300; // An element with several texts is taken whole up to this length; beyond, nobody means all of it.
const TIP = 160;
const SPACES = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g; // what Python's \s matches
const NATIVE = new Set(["PageUp", "PageDown", "Home", "End", " ", "Tab"]);

const elements = indexed();
let mode = { kind: "text", hue: 0, name: "", like: /** @type {Place | null} */ (null) };
/** @type {Mark[]} */ let marks = [];
/** @type {{id: string, rect: DOMRect}[]} */ let drawn = [];
/** @type {Place | null} */ let hovered = null;
/** @type {Place | null} */ let cursor = null;
/** @type {Place[] | null} */ let candidates = null;
/** @type {MessagePort | null} */ let port = null;
let dragged = false;
let pointer = { x: -1, y: -1, target: /** @type {Element | null} */ (null) };

// ---- The page's tree -------------------------------------------------------------------------------------------------

function indexed() {
  /** @type {Element[]} */ const found = [];
  for (const element of document.querySelectorAll("[data-v]")) found[Number(element.getAttribute("data-v"))] = element;
  return found;
}

/** @param {string} text */
function clean(text) {
  return text.replace(SPACES, " ").replace(/^ | $/g, "");
}

/** The text() children of an element as XPath counts them: what comments and elements part. @param {Element} element @returns {Text[][]} */
function runsOf(element) {
  const runs = [];
  let run = null;
  for (const child of element.childNodes) {
    if (!(child instanceof Text)) run = null;
    else if (child.data) {
      if (!run) runs.push((run = []));
      run.push(child);
    }
  }
  return runs;
}

/** @param {Text[]} run */
const rawOf = (run) => run.map((text) => text.data).join("");

/** @param {Element} element */
const indexOf = (element) => Number(element.getAttribute("data-v"));

/** @param {Place} place @returns {Text[] | null} */
function runAt(place) {
  const element = elements[place.node];
  return (element && place.kind === "text" && runsOf(element)[(place.text ?? 0) - 1]) || null;
}

/** The place of a text node. @param {Text} text @returns {Place | null} */
function placeOfText(text) {
  const element = text.parentElement;
  if (!element?.hasAttribute("data-v")) return null;
  const ordinal = runsOf(element).findIndex((run) => run.includes(text)) + 1;
  return ordinal ? { node: indexOf(element), kind: "text", text: ordinal } : null;
}

/** @param {Place} place */
const keyOf = (place) => [place.node, place.kind, place.text ?? 0, place.attribute ?? "", place.start ?? "", place.end ?? ""].join("|");

/** On a page of XML attributes are shown, as elements of ours. @param {Place} place */
function shownAttribute(place) {
  return [...(elements[place.node]?.children ?? [])].find((child) => child.getAttribute("data-v-key") === place.attribute) ?? null;
}

/** @param {Place} place */
function valueOf(place) {
  const element = elements[place.node];
  if (!element) return "";
  if (place.kind === "attribute" && shownAttribute(place)) return clean(shownAttribute(place)?.getAttribute("data-v-text") ?? "");
  if (place.kind === "attribute") return clean(element.getAttribute(`data-v-${place.attribute}`) ?? element.getAttribute(place.attribute ?? "") ?? "");
  const run = runAt(place);
  const value = clean(run ? rawOf(run) : element.textContent ?? "");
  return place.start === undefined ? value : [...value].slice(place.start, place.end).join("");
}

/** For each character of the cleaned text, what it stands for in the raw one. @param {string} raw @returns {{from: number, to: number}[]} */
function spansOf(raw) {
  const spans = [];
  let at = 0;
  let space = -1;
  for (const character of raw) {
    if (clean(character) === "") {
      if (space < 0) space = at;
    } else {
      if (space >= 0 && spans.length) spans.push({ from: space, to: at });
      space = -1;
      spans.push({ from: at, to: at + character.length });
    }
    at += character.length;
  }
  return spans;
}

// ---- What the pointer means ------------------------------------------------------------------------------------------

/** @param {number} x @param {number} y @param {Element | null} target @returns {Place | null} */
function placeAt(x, y, target) {
  const element = target?.closest("[data-v]");
  if (!element) return null;
  const sibling = siblingLike(element);
  if (sibling) return sibling;
  const attribute = target?.closest("[data-v-key]");
  if (attribute) return placeOfShown(attribute);
  const link = mode.kind === "url" ? element.closest("a[data-v-href]") : null;
  if (link) return { node: indexOf(link), kind: "attribute", attribute: "href" };
  if (element.localName === "img") return placeOfImage(element);
  if (element.getAttribute("data-v-value")) return { node: indexOf(element), kind: "attribute", attribute: "value" };
  const text = textAt(x, y);
  return text ? placeOfText(text) : placeInside(element);
}

/** The place of an attribute that is shown. @param {Element} shown @returns {Place} */
function placeOfShown(shown) {
  return { node: indexOf(/** @type {Element} */ (shown.parentElement)), kind: "attribute", attribute: shown.getAttribute("data-v-key") ?? "" };
}

/** Where whole elements were taken, another of their kind is taken whole. @param {Element} element @returns {Place | null} */
function siblingLike(element) {
  const like = mode.like?.kind === "element" ? elements[mode.like.node] : null;
  if (!like) return null;
  const same = (/** @type {Element} */ other) => other.localName === like.localName && other.className === like.className && other.parentElement?.localName === like.parentElement?.localName;
  for (let other = /** @type {Element | null} */ (element); other; other = other.parentElement) if (same(other)) return { node: indexOf(other), kind: "element" };
  return null;
}

/** @param {Element} image @returns {Place} */
function placeOfImage(image) {
  const named = mode.kind !== "image" && mode.kind !== "url" && image.getAttribute("alt");
  return { node: indexOf(image), kind: "attribute", attribute: named ? "alt" : "src" };
}

/** The text node under a point, when the point is really on it. @param {number} x @param {number} y @returns {Text | null} */
function textAt(x, y) {
  const node = document.caretPositionFromPoint ? document.caretPositionFromPoint(x, y)?.offsetNode : document.caretRangeFromPoint(x, y)?.startContainer;
  if (!(node instanceof Text) || !clean(node.data)) return null;
  return [...rectsOfNodes(node, node)].some((rect) => inside(rect, x, y, 3)) ? node : null;
}

/** Beside any text: the only text in there, or the whole of something short. @param {Element} element @returns {Place | null} */
function placeInside(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */ const texts = [];
  while (texts.length < 2 && walker.nextNode()) {
    const text = /** @type {Text} */ (walker.currentNode);
    if (clean(text.data) && text.parentElement?.localName !== "style") texts.push(text);
  }
  if (texts.length === 1) return placeOfText(texts[0]);
  return texts.length && clean(element.textContent ?? "").length <= SHORT ? { node: indexOf(element), kind: "element" } : null;
}

/** A part of one text that was dragged over, or the element around several. @returns {Place | null} */
function selectedPlace() {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || !selection.rangeCount) return null;
  const range = selection.getRangeAt(0);
  const run = range.startContainer instanceof Text && range.startContainer.parentElement ? runsOf(range.startContainer.parentElement).find((each) => each.includes(/** @type {Text} */ (range.startContainer))) : null;
  if (!run || !(range.endContainer instanceof Text) || !run.includes(range.endContainer)) return placeAround(range);
  const place = placeOfText(run[0]);
  if (!place) return null;
  const before = (/** @type {Node} */ node) => run.slice(0, run.indexOf(/** @type {Text} */ (node))).reduce((sum, text) => sum + text.data.length, 0);
  return part(place, rawOf(run), before(range.startContainer) + range.startOffset, before(range.endContainer) + range.endOffset);
}

/** @param {Place} place @param {string} raw @param {number} from @param {number} to @returns {Place | null} */
function part(place, raw, from, to) {
  const spans = spansOf(raw);
  const characters = [...clean(raw)];
  let start = spans.findIndex((span) => span.to > from);
  let end = spans.filter((span) => span.from < to).length;
  if (start < 0) return null;
  while (start < end && characters[start] === " ") start += 1;
  while (end > start && characters[end - 1] === " ") end -= 1;
  if (start >= end) return null;
  return start === 0 && end === spans.length ? place : { ...place, start, end };
}

/** @param {Range} range @returns {Place | null} */
function placeAround(range) {
  const holder = range.commonAncestorContainer;
  const element = (holder instanceof Element ? holder : holder.parentElement)?.closest("[data-v]");
  return element && element !== document.documentElement ? { node: indexOf(element), kind: "element" } : null;
}

// ---- Where a place is on the screen ----------------------------------------------------------------------------------

/** @param {Node} first @param {Node} last */
function rectsOfNodes(first, last) {
  const range = document.createRange();
  range.setStartBefore(first);
  range.setEndAfter(last);
  return range.getClientRects();
}

/** @param {Place} place @returns {DOMRect[]} */
function rectsOf(place) {
  const element = elements[place.node];
  if (!element) return [];
  const run = runAt(place);
  if (run) return merged(place.start === undefined ? rectsOfNodes(run[0], run[run.length - 1]) : rectsOfPart(run, place));
  if (place.kind === "text") return [];
  const shown = place.kind === "attribute" && shownAttribute(place);
  if (shown) return merged(shown.getClientRects());
  const own = place.kind === "element" ? merged(rectsOfTexts(element)) : [];
  if (own.length) return own;
  const box = merged(element.getClientRects());
  return box.length ? box : merged(rectsOfNodes(element, element));
}

/** Where the texts and pictures of an element are: a block is as wide as its column and runs under what floats beside it. @param {Element} element */
function rectsOfTexts(element) {
  const rects = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node instanceof Text ? clean(node.data) : node instanceof Element && node.localName === "img") rects.push(...rectsOfNodes(node, node));
  }
  return rects;
}

/** @param {Text[]} run @param {Place} place */
function rectsOfPart(run, place) {
  const spans = spansOf(rawOf(run));
  const first = spans[place.start ?? 0];
  const last = spans[Math.min(place.end ?? spans.length, spans.length) - 1];
  if (!first || !last) return [];
  const range = document.createRange();
  range.setStart(...pointIn(run, first.from));
  range.setEnd(...pointIn(run, last.to));
  return range.getClientRects();
}

/** @param {Text[]} run @param {number} offset @returns {[Text, number]} */
function pointIn(run, offset) {
  for (const text of run) {
    if (offset <= text.data.length) return [text, offset];
    offset -= text.data.length;
  }
  const last = run[run.length - 1];
  return [last, last.data.length];
}

/** Boxes one above the other as one: a paragraph is one outline, not one a line. @param {Iterable<DOMRect>} rects */
function merged(rects) {
  const shown = [...rects].filter((rect) => rect.width > 0 && rect.height > 0);
  if (shown.length < 2) return shown;
  const left = Math.min(...shown.map((rect) => rect.left));
  const top = Math.min(...shown.map((rect) => rect.top));
  const right = Math.max(...shown.map((rect) => rect.right));
  const bottom = Math.max(...shown.map((rect) => rect.bottom));
  return [new DOMRect(left, top, right - left, bottom - top)];
}

/** @param {DOMRect} rect @param {number} x @param {number} y @param {number} slack */
const inside = (rect, x, y, slack) => x >= rect.left - slack && x <= rect.right + slack && y >= rect.top - slack && y <= rect.bottom + slack;

/** @param {Place} place */
function show(place) {
  const across = scrollX;
  elements[place.node]?.scrollIntoView({ block: "nearest", inline: "nearest" });
  window.scrollTo(across, scrollY); // only what is really outside moves the page sideways, below
  const rect = rectsOf(place)[0];
  if (!rect) return;
  if (rect.top < 40 || rect.bottom > innerHeight - 40) window.scrollBy(0, rect.top + rect.height / 2 - innerHeight / 3);
  if (rect.right < 40 || rect.left > innerWidth - 40) window.scrollBy(rect.left - 40, 0);
}

// ---- The layer of outlines -------------------------------------------------------------------------------------------

const LAYER = `
  .box { position: absolute; box-sizing: border-box; border-radius: 3px; pointer-events: none; border: 2px solid var(--c);
    background: color-mix(in srgb, var(--c) 9%, transparent); box-shadow: 0 0 0 1px rgb(255 255 255 / 85%); }
  .box.dashed { border-style: dashed; background: color-mix(in srgb, var(--c) 5%, transparent); }
  .box.dotted { border-style: dotted; background: none; }
  .box.quiet { border-width: 1px; }
  .box.hover { background: color-mix(in srgb, var(--c) 14%, transparent); }
  .box.cursor { outline: 2px solid var(--c); outline-offset: 3px; }
  .name, .key, .tip { position: absolute; pointer-events: none; font: 500 11px/15px system-ui, sans-serif; color: #fff; background: var(--c); white-space: nowrap; }
  .name { padding: 0 4px; border-radius: 3px 3px 0 0; }
  .key { margin: 9px 0 0 -7px; min-width: 13px; text-align: center; font-size: 9px; line-height: 13px; border-radius: 3px; box-shadow: 0 0 0 1px #fff; }
  .key:empty { display: none; }
  .tip { padding: 3px 7px; border-radius: 4px; max-width: min(520px, 80vw); overflow: hidden; text-overflow: ellipsis; background: #191e29; box-shadow: 0 2px 10px rgb(0 0 0 / 30%);
    border-left: 4px solid var(--c); }
  .tip i { margin-left: 8px; opacity: 0.75; }
  .tip b { font-weight: 600; margin-right: 6px; }
`;

const host = document.createElement("v-layer");
host.setAttribute("style", "all: initial !important; position: absolute !important; top: 0 !important; left: 0 !important; width: 0 !important; height: 0 !important; display: block !important; z-index: 2147483647 !important; pointer-events: none !important;");
const layer = host.attachShadow({ mode: "closed" });
const under = document.createElement("div");
const over = document.createElement("div");
const sheet = document.createElement("style");
sheet.textContent = LAYER;
layer.append(sheet, under, over);
document.documentElement.append(host);

/** @param {DOMRect} rect @param {string} look @param {string} colour */
function box(rect, look, colour) {
  const origin = host.getBoundingClientRect();
  const element = document.createElement("div");
  element.className = `box ${look}`;
  const left = Math.max(0, rect.left - origin.left - 3); // what begins at the page's edge keeps its left side
  element.style.cssText = `left: ${left}px; top: ${rect.top - origin.top - 2}px; width: ${rect.right - origin.left + 3 - left}px; height: ${rect.height + 4}px`;
  element.style.setProperty("--c", colour);
  return element;
}

/** @param {DOMRect} rect @param {string} className @param {string} colour */
function sign(rect, className, colour) {
  const origin = host.getBoundingClientRect();
  const element = document.createElement("div");
  element.className = className;
  element.style.cssText = `left: ${rect.left - origin.left - 3}px; top: ${rect.top - origin.top - 17}px`;
  element.style.setProperty("--c", colour);
  return element;
}

function drawMarks() {
  drawn = [];
  const boxes = [];
  const named = new Set();
  for (const mark of marks) {
    const colour = HUES[mark.hue % HUES.length];
    for (const rect of rectsOf(mark.location)) {
      drawn.push({ id: mark.id, rect: new DOMRect(rect.left + scrollX, rect.top + scrollY, rect.width, rect.height) });
      boxes.push(box(rect, `${mark.look}${mark.current ? "" : " quiet"}`, colour));
      if (!mark.name || named.has(mark.name)) continue;
      named.add(mark.name);
      boxes.push(nameTag(mark, rect, colour));
    }
  }
  under.replaceChildren(...boxes);
}

/** The current attribute by its name; any other by its key in the corner, which hides nothing. @param {Mark} mark @param {DOMRect} rect @param {string} colour */
function nameTag(mark, rect, colour) {
  const tag = sign(rect, mark.current ? "name" : "key", colour);
  tag.textContent = mark.current ? mark.name : mark.key;
  return tag;
}

function drawPointer() {
  const colour = HUES[mode.hue % HUES.length];
  const boxes = [];
  if (cursor) boxes.push(...rectsOf(cursor).map((rect) => box(rect, "cursor", colour)));
  const shown = hovered ?? cursor;
  if (hovered) boxes.push(...rectsOf(hovered).map((rect) => box(rect, "hover", colour)));
  const rect = shown && rectsOf(shown)[0];
  if (shown && rect) boxes.push(tip(rect, shown, colour));
  over.replaceChildren(...boxes);
  const last = over.lastElementChild;
  if (!(last instanceof HTMLElement) || last.className !== "tip") return;
  const out = last.getBoundingClientRect().right - document.documentElement.clientWidth + 8;
  if (out > 0) last.style.left = `${parseFloat(last.style.left) - out}px`;
}

/** @param {DOMRect} rect @param {Place} place @param {string} colour */
function tip(rect, place, colour) {
  const element = sign(rect, "tip", colour);
  const below = rect.bottom + 30 < innerHeight;
  const origin = host.getBoundingClientRect();
  element.style.top = `${(below ? Math.min(rect.bottom, innerHeight - 30) + 5 : Math.max(rect.top - 28, 4)) - origin.top}px`;
  const name = document.createElement("b");
  name.textContent = mode.name + (place.kind === "attribute" ? ` @${place.attribute}` : "");
  const value = valueOf(place);
  element.append(name, value.length > TIP ? `${value.slice(0, TIP)}…` : value);
  const taken = marks.some((mark) => mark.current && mark.look === "solid" && keyOf(mark.location) === keyOf(place));
  if (taken) element.append(Object.assign(document.createElement("i"), { textContent: "click takes it out" }));
  return element;
}

let waiting = false;
function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    candidates = null;
    drawMarks();
    drawPointer();
  });
}

// ---- Candidates for the keyboard -------------------------------------------------------------------------------------

/** All texts (for images: all images) that can be seen, on a page of XML attributes too, in the order of the page. @returns {Place[]} */
function allCandidates() {
  if (mode.kind === "image" && !document.documentElement.hasAttribute("data-v-xml")) return [...document.querySelectorAll("img[data-v]")].filter((image) => image.getClientRects().length).map(placeOfImage);
  const found = [];
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    if (text instanceof Element && text.hasAttribute("data-v-key")) found.push(placeOfShown(text));
    if (!(text instanceof Text)) continue;
    if (!clean(text.data) || !text.parentElement?.getClientRects().length) continue;
    const place = placeOfText(text);
    if (place && merged(rectsOfNodes(text, text)).length) found.push(place);
  }
  return found;
}

/** The number of the candidate `step` away from the cursor, or the first on the screen. @param {Place[]} all @param {number} step */
function nextFrom(all, step) {
  const from = cursor;
  if (!from) return Math.max(0, all.findIndex((place) => (rectsOf(place)[0]?.bottom ?? -1) > 0));
  const same = all.findIndex((place) => place.node === from.node && place.kind === from.kind && place.text === from.text && place.attribute === from.attribute);
  if (same >= 0) return same + step;
  const after = all.findIndex((place) => place.node === from.node || elements[from.node]?.compareDocumentPosition(elements[place.node]) & Node.DOCUMENT_POSITION_FOLLOWING);
  return after < 0 ? all.length - 1 : after + (step > 0 ? step - 1 : step);
}

/** @param {number} step */
function move(step) {
  candidates ??= allCandidates();
  if (!candidates.length) return;
  cursor = candidates[Math.min(candidates.length - 1, Math.max(0, nextFrom(candidates, step)))];
  hovered = null;
  show(cursor);
  drawPointer();
  say({ type: "cursor", location: cursor, value: valueOf(cursor) });
}

// ---- Talking ---------------------------------------------------------------------------------------------------------

/** @param {import("../messages.js").FromFrame} message */
function say(message) {
  port?.postMessage(message);
}

/** @param {import("../messages.js").ToFrame} message */
function hear(message) {
  if (message.type === "mode") {
    if (mode.kind !== message.kind) candidates = null;
    mode = { kind: message.kind, hue: message.hue, name: message.name, like: message.like };
    if (hovered) hover();
    drawPointer();
  } else if (message.type === "marks") {
    marks = message.marks;
    drawMarks();
  } else if (message.type === "show") show(message.location);
  else if (message.type === "move") move(message.step);
  else if (message.type === "cursor") {
    cursor = message.location;
    if (cursor) {
      hovered = null;
      show(cursor);
    }
    drawPointer();
  } else if (message.type === "styles") {
    for (const each of document.querySelectorAll("style[data-v], link[data-v]")) if (each instanceof HTMLStyleElement || each instanceof HTMLLinkElement) if (each.sheet) each.sheet.disabled = !message.on;
    redraw();
  } else if (message.type === "follow") {
    follow();
  } else if (message.type === "scroll") {
    scrolledTo = scrollY + message.by;
    window.scrollBy(0, message.by);
    scrolledTo = scrollY;
  } else if (message.type === "overlays") {
    showOverlays(message.on);
    redraw();
  } else if (message.type === "dimmed") {
    for (const element of document.querySelectorAll("[data-v-dim]")) element.removeAttribute("data-v-dim");
    for (const node of message.nodes) elements[node]?.setAttribute("data-v-dim", "");
  }
}

let scrolledTo = 0; // where the window around it knows the page to be

/** Reports from now on how far a person scrolls, so that another version of the page can go with it. */
function follow() {
  scrolledTo = scrollY;
  addEventListener("scroll", () => {
    const by = scrollY - scrolledTo;
    scrolledTo = scrollY;
    if (by) say({ type: "scroll", by });
  });
}

function hover() {
  const place = pointer.target ? placeAt(pointer.x, pointer.y, pointer.target) : null;
  if (JSON.stringify(place) === JSON.stringify(hovered)) return;
  hovered = place;
  drawPointer();
  say({ type: "hover", location: place, value: place ? valueOf(place) : "" });
}

function listen() {
  const on = (/** @type {string} */ name, /** @type {(event: any) => void} */ act) => document.addEventListener(name, act, { capture: true });
  on("mousemove", (event) => {
    const idle = pointer.target === null;
    pointer = { x: event.clientX, y: event.clientY, target: event.target instanceof Element ? event.target : null };
    if (event.buttons) return;
    if (idle) hover();
    else requestAnimationFrame(hover);
  });
  on("mouseleave", (event) => {
    if (event.target !== document) return;
    pointer.target = null;
    hover();
  });
  on("mousedown", () => { dragged = false; });
  on("mouseup", () => {
    const place = selectedPlace();
    if (!place) return;
    dragged = true;
    document.getSelection()?.removeAllRanges();
    cursor = null;
    say({ type: "part", location: place, value: valueOf(place) });
  });
  on("click", (event) => {
    event.preventDefault();
    event.stopPropagation();
    if (dragged || event.button !== 0) return;
    const place = placeAt(event.clientX, event.clientY, event.target);
    if (!place) return;
    cursor = null;
    const hit = drawn.filter((each) => inside(each.rect, event.clientX + scrollX, event.clientY + scrollY, 2)).map((each) => each.id);
    say({ type: "click", location: place, value: valueOf(place), marks: [...new Set(hit)] });
  });
  on("keydown", (event) => {
    const undo = event.key.toLowerCase() === "z" || event.key === "y";
    if (((event.ctrlKey || event.metaKey) && !undo) || NATIVE.has(event.key) || /^F\d/.test(event.key)) return;
    event.preventDefault();
    say({ type: "key", key: event.key, ctrl: event.ctrlKey || event.metaKey, shift: event.shiftKey, alt: event.altKey });
  });
  for (const name of ["dragstart", "submit", "auxclick"]) on(name, (event) => event.preventDefault());
  on("scroll", (event) => { if (event.target !== document) redraw(); });
}

function watch() {
  addEventListener("resize", redraw);
  new ResizeObserver(redraw).observe(document.documentElement);
  for (const image of document.images) if (!image.complete) image.addEventListener("load", redraw, { once: true });
}

addEventListener("message", function handOver(event) {
  if (event.source !== window.parent || !event.ports[0]) return;
  removeEventListener("message", handOver);
  port = event.ports[0];
  port.onmessage = (message) => hear(message.data);
  listen();
  say({ type: "ready" });
});

/** @type {(Place & {hue?: number})[]} */
const given = JSON.parse(document.querySelector("script[data-marks]")?.getAttribute("data-marks") || "[]");
marks = given.map(({ hue = 0, ...location }, n) => ({ id: String(n), location, hue, look: "solid", name: "", key: "", current: true }));
pinOverlays();
addEventListener("load", () => { pinOverlays(); redraw(); }); // pictures and fonts may have moved what is fixed
watch();
drawMarks();
if (given[0]) show(given[0]);
