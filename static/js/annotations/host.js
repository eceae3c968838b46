// The workbench: what a person does becomes labels on the server, and what comes back becomes outlines and rows.
//
// The store holds what is known. Every change is drawn at once as if it were saved, and sent in order; the answer brings the
// draft that the change taught. The page is in a frame without an origin, which talks only through a MessagePort.

import { byId, said } from "../core/dom.js";
import { toast } from "../core/toasts.js";
import { gettext } from "../core/words.js";
import { pageFrame } from "../display/pageframe.js";
import { connect } from "./api.js";
import { createChoosing } from "./choosing.js";
import { dimming } from "./dimmed.js";
import { createFocusing } from "./focus.js";
import { marksOf } from "./highlight.js";
import { createKeyboard } from "./keyboard.js";
import { learner } from "./learning.js";
import { looks } from "./looks.js";
import { createMarking } from "./marking.js";
import { pageData } from "./pagedata.js";
import { drawPanel, followCurrent } from "./panel.js";
import { drawSamples } from "./samples.js";
import { openRow } from "./rows.js";
import { createSaving } from "./saving.js";
import { firstAttribute, firstPage, placeIn } from "./start.js";
import { drawFoot, drawHead, drawSaved } from "./status.js";
import { createStore, currentOf, isSaid, pageOf, standing } from "./store.js";
import { adviser } from "./teaching.js";
import { another, drawTrail, narrower, wider } from "./trail.js";
import { treePanel } from "./treepanel.js";

/** @typedef {import("../display/places.js").Place} Place @typedef {import("./bench.js").Bench} Bench */

const FAR = 10; // How many texts the keyboard's cursor moves on with Shift.
const REDRAW_MS = 5000; // How often "saved 2 s ago" is refreshed.

const root = byId("workbench");
const api = connect(root);
const known = () => bench.store;
const { say, show: showAddress } = pageFrame(/** @type {HTMLIFrameElement} */ (byId("frame")), root, hear);
const { teach, warm, missing, unread, different, learn, publish, lookUp } = learner(api, known, draw, fail, () => { advise(); compare(); });
const { suggest, compare } = pageData(api, known, draw);
const { advise, arrange, hush } = adviser(api, known, draw, () => learn(true), (page) => bench.openPage(page));
const { show: showDimmed, toggle: toggleDimmed } = dimming(api, say, toast);
const { ask: askLooks } = looks(api, showPage, toast);
const tree = treePanel(api, takeFromTree, fail);

const shared = { root, api, tree, say, showPage, showValue, draw, drawFocus, drawSaves, fail, teach, hush, arrange, suggest, lookUp };
const bench = /** @type {Bench} */ (/** @type {unknown} */ (shared)); // Its parts and its store follow.
Object.assign(bench, createFocusing(bench), createChoosing(bench), createMarking(bench), createSaving(bench));
const { press } = createKeyboard(bench, commands());

let styled = true;
let overlays = true;
/** What to bring into view once the page is loaded. @type {Place | null} */ let wantedPlace = null;

// ---- The page in the frame -------------------------------------------------------------------------------------------

/** @param {import("../display/messages.js").FromFrame} message */
function hear(message) {
  if (message.type === "ready") pageReady();
  else if (message.type === "click") bench.click(message);
  else if (message.type === "part") bench.takePlace(message.location);
  else if (message.type === "cursor") bench.setFocus(null, message.location);
  else if (message.type === "key") press(message);
}

function pageReady() {
  const { store } = bench;
  sayMode();
  say({ type: "styles", on: styled });
  say({ type: "overlays", on: overlays });
  showDimmed(store.page);
  say({ type: "marks", marks: marksOf(store) });
  if (wantedPlace) say({ type: "show", location: wantedPlace });
  else showValue();
  wantedPlace = null;
  askLooks(store.page);
}

function showPage() {
  showAddress(pageOf(bench.store)?.frame);
}

/** Brings the current attribute's value into view. */
function showValue() {
  const [first] = standing(bench.store, bench.store.current, bench.store.page).values;
  if (first) say({ type: "show", location: first.location });
}

/** Brings a value into view once its page is loaded. @param {import("./store.js").Value} value */
function show({ location }) {
  if (root.dataset.loading === undefined) say({ type: "show", location });
  else wantedPlace = location;
}

function sayMode() {
  const attribute = currentOf(bench.store);
  if (!attribute) return;
  const how = standing(bench.store, attribute.id, bench.store.page);
  const last = attribute.multiple && isSaid(how) ? how.values.at(-1) : undefined; // of what is only proposed, a click takes a part
  say({ type: "mode", kind: attribute.type, hue: attribute.hue, name: attribute.name, multiple: attribute.multiple, like: last?.location ?? null });
}

/** Takes a place of the tree and brings it into view. @param {Place} location */
function takeFromTree(location) {
  bench.takePlace(location);
  say({ type: "show", location });
}

// ---- Commands --------------------------------------------------------------------------------------------------------

/** @returns {Record<string, () => void>} */
function commands() {
  const { confirm, confirmAll, addBeside, absent, clear, replay, openBy, openNextRow, chooseBy, adjust } = bench;
  return {
    confirm, confirmAll, addBeside, absent, clear, escape,
    undo: () => replay("undo/"),
    redo: () => replay("redo/"),
    previousPage: () => openBy(-1),
    nextPage: () => openBy(1),
    tree: () => (tree.shown ? closeTree() : openTree(false)),
    search: () => openTree(true),
    styles: toggleStyles,
    overlays: toggleOverlays,
    dimmed: () => toggleDimmed(bench.store.page),
    wider: () => adjust(wider),
    narrower: () => adjust(narrower),
    another: () => adjust(another),
    next: () => say({ type: "move", step: 1 }),
    previous: () => say({ type: "move", step: -1 }),
    nextFar: () => say({ type: "move", step: FAR }),
    previousFar: () => say({ type: "move", step: -FAR }),
    nextRow: openNextRow,
    nextAttribute: () => chooseBy(1),
    previousAttribute: () => chooseBy(-1),
    keys: () => /** @type {HTMLDialogElement} */ (byId("keys")).showModal(),
  };
}

function toggleStyles() {
  styled = !styled;
  say({ type: "styles", on: styled });
  draw();
}

function toggleOverlays() {
  overlays = !overlays;
  say({ type: "overlays", on: overlays });
  byId("overlays").setAttribute("aria-pressed", String(overlays));
}

/** Closes the tree, or else clears the focus, or else the similar values on offer. */
function escape() {
  const { store } = bench;
  if (tree.shown) closeTree();
  else if (bench.focus()) {
    bench.dropFocus();
    drawFocus();
  } else if (store.similar.get(store.current)?.values.length) {
    store.similar.delete(store.current);
    draw();
  }
}

/** @param {boolean} searching */
function openTree(searching) {
  tree.open(bench.store.page, searching);
  drawHead(bench.store, styled, true);
}

function closeTree() {
  tree.close();
  drawHead(bench.store, styled, false);
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

// ---- Drawing ---------------------------------------------------------------------------------------------------------

function draw() {
  const { store, choose, confirm, addBeside, absent, clear, remove, openPage, openRow, acceptRows, refuseRow } = bench;
  drawSamples(byId("samples"), store, openPage);
  drawPanel(byId("attributes"), store, { choose, confirm, addBeside, absent, clear, remove, open: openPage, missing, unread, different, openRow, acceptRows, refuseRow, show });
  say({ type: "marks", marks: marksOf(store) });
  sayMode();
  drawHead(store, styled, tree.shown);
  drawFocus();
  drawSaves();
  drawFoot(store);
}

function drawFocus() {
  drawTrail(byId("trail"), bench.focus()?.place ?? null, bench.adjustTo);
}

function drawSaves() {
  drawSaved(bench.store, bench.saves());
}

/** @param {unknown} error */
function fail(error) {
  toast(said(error), "error");
}

// ---- Leaving and coming back -----------------------------------------------------------------------------------------

addEventListener("pagehide", api.flush);
addEventListener("beforeunload", (event) => { if (api.busy()) event.preventDefault(); });
addEventListener("focus", () => bench.lookAgain());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") api.flush();
  else bench.lookAgain();
});

followCurrent(byId("attributes"));

// ---- Start -----------------------------------------------------------------------------------------------------------

async function start() {
  byId("warming").textContent = gettext("choosing the sample pages…");
  const query = new URLSearchParams(location.search);
  try {
    bench.store = createStore(await api.get("state/", { also: query.get("page") ?? "" }));
  } catch (error) {
    byId("warming").textContent = "";
    return fail(error);
  }
  byId("warming").textContent = gettext("reading pages…");
  const { store } = bench;
  bench.remember();
  store.page = firstPage(store, Number(query.get("page")));
  store.current = firstAttribute(store, Number(query.get("attribute")));
  byId("no-samples").hidden = store.samples.length > 0;
  byId("frame").hidden = !store.samples.length;
  byId("no-attributes").hidden = store.attributes.length > 0;
  openWanted(query);
  wantedPlace = placeIn(query.get("show"));
  showPage();
  draw();
  byId("learn").addEventListener("click", () => learn());
  byId("publish").addEventListener("click", publish);
  suggest(store.page);
  setInterval(drawSaves, REDRAW_MS);
  warm();
}

/** Opens the row of a list that the address names, and says so when its page cannot be opened. @param {URLSearchParams} query */
function openWanted(query) {
  const { store } = bench;
  const wanted = Number(query.get("page"));
  if (wanted && store.page !== wanted) toast(gettext("The page you came for is not among the readable pages of this template, so another one is open."), "error");
  const list = currentOf(store)?.list;
  const row = Number(query.get("row"));
  if (list && row > 0 && store.page === wanted) openRow(store, list, wanted, row);
}

start();
