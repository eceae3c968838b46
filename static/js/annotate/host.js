// The workbench: what a person does becomes labels on the server, what comes back becomes outlines and rows.
//
// The store holds what is known; every change is drawn at once as if it were saved and sent in order; the answer brings
// the draft the change taught. The page is in a frame without an origin and only talks through a MessagePort.

import { toast } from "../toasts.js";
import { connect } from "./api.js";
import { commandOf } from "./commands.js";
import { byId, said } from "./dom.js";
import { hitValues, marksOf } from "./highlight.js";
import { learner } from "./learning.js";
import { dimming } from "./dimmed.js";
import { looks } from "./looks.js";
import { samePlace } from "./messages.js";
import { pageData } from "./pagedata.js";
import { pageFrame } from "./pageframe.js";
import { drawPanel } from "./panel.js";
import * as lists from "./rows.js";
import { drawSamples } from "./samples.js";
import { drawFoot, drawHead, drawSaved } from "./status.js";
import * as stores from "./store.js";
import { adviser } from "./teaching.js";
import { another, drawTrail, narrower, wider } from "./trail.js";
import { treePanel } from "./treepanel.js";

/** @typedef {import("./messages.js").Place} Place @typedef {import("./store.js").Value} Value */

const FAR = 10;
const LOOK_MS = 1000; // The window comes into focus with every click beside the page.
const root = byId("workbench");
const api = connect(root);
const { say, show: showPage } = pageFrame(/** @type {HTMLIFrameElement} */ (byId("frame")), root, hear);
const tree = treePanel(api, takeFromTree, fail);
const { teach, warm, missing, different, learn, publish, lookUp } = learner(api, () => store, draw, fail, () => { advise(); compare(); });
const { suggest, compare } = pageData(api, () => store, draw);
const { advise, hush } = adviser(api, () => store, draw, () => learn(true));

const { show: showDimmed, toggle: toggleDimmed } = dimming(api, (message) => say(message), toast);
const { ask: askLooks } = looks(api, () => showPage(stores.pageOf(store)?.frame), toast);

/** @type {import("./store.js").Store} */ let store;
/** What the arrows act on: a value just marked, or the keyboard's cursor (attribute null).
 * @type {{attribute: number | null, page: number, location: Place, place: import("./trail.js").Described | null} | null} */
let focus = null;
/** The labels as the server knows them. @type {import("./store.js").Store["labels"]} */ let saved = {};
/** How many changes of an attribute are on their way. @type {Map<number, number>} */ const unsaved = new Map();
let styled = true;
let overlays = true;
let savedAt = 0;
let failed = false;
let lookedAt = 0;
/** What is to be brought into view when the page is there. @type {Place | null} */ let wantedPlace = null;

// ---- The page in the frame -------------------------------------------------------------------------------------------

/** @param {import("./messages.js").FromFrame} message */
function hear(message) {
  if (message.type === "ready") {
    sayMode();
    say({ type: "styles", on: styled });
    say({ type: "overlays", on: overlays });
    showDimmed(store.page);
    say({ type: "marks", marks: marksOf(store) });
    if (wantedPlace) say({ type: "show", location: wantedPlace });
    else showValue();
    wantedPlace = null;
    askLooks(store.page);
  } else if (message.type === "click") click(message);
  else if (message.type === "part") takePlace(message.location);
  else if (message.type === "cursor") setFocus(null, message.location);
  else if (message.type === "key") press(message);
}

/** Brings the current attribute's value into view, where it has one. */
function showValue() {
  const [first] = stores.standing(store, store.current, store.page).values;
  if (first) say({ type: "show", location: first.location });
}

function sayMode() {
  const attribute = stores.currentOf(store);
  const last = attribute?.multiple ? stores.standing(store, attribute.id, store.page).values.at(-1) : undefined;
  if (attribute) say({ type: "mode", kind: attribute.type, hue: attribute.hue, name: attribute.name, like: last?.location ?? null });
}

// ---- Marking ---------------------------------------------------------------------------------------------------------

/** @param {{location: Place, value: string, marks: string[]}} clicked */
function click({ location, value, marks }) {
  const attribute = stores.currentOf(store);
  if (!attribute) return;
  const how = stores.standing(store, attribute.id, store.page);
  const hit = hitValues(store, marks);
  const values = stores.afterClick(attribute, how, { location, value }, hit);
  mark(attribute, values, values.at(-1)?.location ?? null);
  goOn(attribute, how);
}

/** Takes a place for the current attribute, wherever it was chosen: dragged, in the tree, by the keyboard. @param {Place} location */
function takePlace(location) {
  const attribute = stores.currentOf(store);
  if (!attribute) return;
  const how = stores.standing(store, attribute.id, store.page);
  const had = how.values.filter((value) => samePlace(value.location, location));
  const values = !attribute.multiple ? [{ location, value: "…" }] : had.length ? how.values : [...how.values, { location, value: "…" }];
  mark(attribute, values, location);
  goOn(attribute, how);
}

/** What was taken by its name is shown on the page, wherever it stands. @param {Place} location */
function takeFromTree(location) {
  takePlace(location);
  say({ type: "show", location });
}

/** After the first value of a single-valued attribute the next one is what is wanted. @param {import("./store.js").Attribute} attribute @param {import("./store.js").Standing} before */
function goOn(attribute, before) {
  if (!attribute.multiple && !stores.isSaid(before)) advance();
}

/** Says what the values are now; the arrows act on `at`. @param {import("./store.js").Attribute} attribute @param {Value[] | null} values @param {Place | null} at */
function mark(attribute, values, at) {
  stores.put(store, attribute.id, values);
  store.similar.delete(attribute.id);
  say({ type: "cursor", location: null });
  focus = null;
  if (at) setFocus(attribute.id, at);
  draw();
  save([change(attribute.id, values)]);
}

/** What is said of an attribute as the server takes it. @param {number} id @param {Value[] | null} values @param {number} [row] of its list, the open one if not said */
function change(id, values, row) {
  const attribute = stores.attributeOf(store, id);
  return { attribute: id, row: row ?? (attribute ? lists.rowFor(store, attribute, store.page) : 0), locations: values && values.map((value) => value.location) };
}

/** @param {{attribute: number, row: number, locations: Place[] | null}[]} changes */
async function save(changes) {
  const page = store.page;
  const ids = changes.map(({ attribute }) => attribute);
  for (const id of ids) {
    asking(id);
    unsaved.set(id, (unsaved.get(id) ?? 0) + 1);
  }
  root.dataset.learning = "true";
  hush();
  const sent = api.post("label/", { page, changes });
  const arrived = () => { for (const id of ids) unsaved.set(id, (unsaved.get(id) ?? 1) - 1); };
  await settle(sent.finally(arrived));
}

/** Labels of the server, but for attributes whose newer ones are on their way there. @param {import("./store.js").Store["labels"]} labels */
const settled = (labels) => Object.fromEntries(Object.entries(labels).filter(([id]) => !unsaved.get(Number(id))));

/** The draft's old values stay until the new ones come. @param {number} attribute */
function asking(attribute) {
  const draft = store.drafts.get(attribute);
  if (draft) store.drafts.set(attribute, { ...draft, coverage: draft.coverage && { ...draft.coverage, complete: true } });
}

/** Takes in the answer to a change, or goes back to what the server has. @param {Promise<any>} sent */
async function settle(sent) {
  drawSaved(store, { ...saves(), saving: true });
  try {
    const answer = await sent;
    if (answer.nothing) {
      store.steps = answer.steps;
      return draw();
    }
    stores.take(store, { ...answer, labels: settled(answer.labels) });
    if (!api.busy()) saved = structuredClone(store.labels);
    failed = false;
    savedAt = Date.now();
    draw();
    teach(Object.keys(answer.labels).map(Number), answer.page);
    return answer;
  } catch (error) {
    failed = true;
    fail(said(error));
    await reload();
  }
}

async function reload() {
  try {
    const fresh = await api.get("state/");
    const mine = Object.fromEntries(Object.entries(store.labels).filter(([id]) => unsaved.get(Number(id))));
    const changed = stores.changedBetween(store.labels, { ...fresh.labels, ...mine });
    Object.assign(store, { labels: { ...fresh.labels, ...mine }, steps: fresh.steps });
    saved = structuredClone(fresh.labels);
    teach(changed, store.page);
  } catch {
    delete root.dataset.learning;
    store.labels = structuredClone(saved); // The server is away: nothing is shown as said that it does not know.
  }
  draw();
}

/** Another tab or another person may have changed something while this one was not looked at. */
async function lookAgain() {
  if (!store || document.visibilityState !== "visible" || api.busy() || Date.now() - lookedAt < LOOK_MS) return;
  lookedAt = Date.now();
  const before = savedAt;
  try {
    const fresh = await api.get("state/");
    if (api.busy() || before !== savedAt) return;
    const changed = stores.changedBetween(store.labels, fresh.labels);
    const steps = JSON.stringify(fresh.steps) !== JSON.stringify(store.steps);
    if (!changed.length && !steps) return;
    Object.assign(store, { labels: fresh.labels, steps: fresh.steps });
    saved = structuredClone(fresh.labels);
    if (changed.length) dropFocus();
    draw();
    teach(changed, store.page);
  } catch {
    return; // Nothing was asked for; the next change says what is wrong.
  }
}

/** @param {"undo/" | "redo/"} which */
async function replay(which) {
  const answer = await settle(api.post(which));
  if (!answer?.labels) return;
  const attribute = Number(Object.keys(answer.labels)[0]);
  focus = null;
  if (answer.page !== store.page && store.samples.some((sample) => sample.id === answer.page)) openPage(answer.page);
  choose(attribute);
}

// ---- Confirming ------------------------------------------------------------------------------------------------------

function confirm() {
  const attribute = stores.currentOf(store);
  if (!attribute) return;
  if (focus && focus.attribute === null) return takePlace(focus.location);
  const how = stores.standing(store, attribute.id, store.page);
  const like = stores.offered(store);
  if (like.length) return mark(attribute, [...how.values, ...like], null);
  if (stores.isOffered(how)) mark(attribute, how.values, null);
  else if (how.kind === "none") mark(attribute, null, null);
  else if (attribute.list && lists.acceptable(store, attribute.list, store.page).length) return acceptRows(attribute.list);
  else if (stores.nextUnsaid(store) === null) return openBy(1);
  advance();
}

/** Everything the rules propose on this page, as one step. */
function confirmAll() {
  const changes = store.attributes
    .map((attribute) => ({ attribute: attribute.id, how: stores.standing(store, attribute.id, store.page) }))
    .filter(({ how }) => stores.isOffered(how))
    .map(({ attribute, how }) => {
      stores.put(store, attribute, how.values);
      return change(attribute, how.values);
    });
  if (!changes.length) return toast("Nothing is proposed on this page.");
  focus = null;
  save(changes);
  advance();
}

/** The rows of a list that its rule found and nobody marked yet, as one step. @param {number} list */
function acceptRows(list) {
  const rows = lists.acceptable(store, list, store.page);
  const changes = rows.map(({ attribute, row, values }) => {
    (store.labels[attribute] ??= {})[lists.placeOf(store.page, row)] = values;
    return change(attribute, values, row);
  });
  focus = null;
  save(changes);
  advance();
}

/** @param {number} list @param {number} row 0 for another one */
function openRow(list, row) {
  lists.openRow(store, list, store.page, row || lists.nextRow(store, list, store.page));
  const unsaid = lists.columns(store, list).find((attribute) => !stores.isSaid(stores.standing(store, attribute.id, store.page)));
  choose((unsaid ?? lists.columns(store, list)[0]).id);
}

/** To the next row of the current attribute's list. */
function nextRow() {
  const list = stores.currentOf(store)?.list ?? store.lists[0]?.id;
  if (list) openRow(list, 0);
  else toast("This record type has no list.");
}

function absent() {
  const attribute = stores.currentOf(store);
  if (!attribute) return;
  mark(attribute, null, null);
  advance();
}

function clear() {
  const attribute = stores.currentOf(store);
  if (attribute && stores.isSaid(stores.standing(store, attribute.id, store.page))) mark(attribute, [], null);
}

/** @param {number} number */
function remove(number) {
  const attribute = stores.currentOf(store);
  if (!attribute) return;
  const { values } = stores.standing(store, attribute.id, store.page);
  mark(attribute, values.filter((_, each) => each !== number), null);
}

/** To the next attribute nothing is said of; when all are, the page is done. */
function advance() {
  const list = stores.currentOf(store)?.list;
  const more = list && lists.saidIn(store, list, store.page, lists.rowOn(store, list, store.page)) === "all" && lists.markedRows(store, list, store.page).length < 2;
  if (more) return openRow(list, 0);
  const next = stores.nextUnsaid(store);
  if (next !== null) choose(next, { keepFocus: true });
  else draw();
}

// ---- Choosing --------------------------------------------------------------------------------------------------------

/** @param {number} attribute @param {{keepFocus?: boolean}} [how] */
function choose(attribute, { keepFocus = false } = {}) {
  store.current = attribute;
  if (!keepFocus) dropFocus();
  draw();
  showValue();
}

/** @param {number} step */
function chooseBy(step) {
  const at = store.attributes.findIndex((attribute) => attribute.id === store.current);
  const to = store.attributes[(at + step + store.attributes.length) % store.attributes.length];
  if (to) choose(to.id);
}

/** @param {number} page */
function openPage(page) {
  if (page === store.page) return;
  store.page = page;
  dropFocus();
  const unsaid = store.attributes.find((attribute) => !stores.isSaid(stores.standing(store, attribute.id, page)));
  if (unsaid) store.current = unsaid.id;
  showPage(stores.pageOf(store)?.frame);
  tree.follow(page);
  draw();
  suggest(page);
  lookUp(stores.notLookedUp(store, page)).catch((error) => fail(said(error)));
}

/** @param {number} step */
function openBy(step) {
  const at = store.samples.findIndex((sample) => sample.id === store.page);
  const to = store.samples[at + step];
  if (to) openPage(to.id);
  else toast(step > 0 ? "This is the last sample page." : "This is the first sample page.");
}

function dropFocus() {
  focus = null;
  say({ type: "cursor", location: null });
}

/** @param {number | null} attribute null for the keyboard's cursor @param {Place} location */
async function setFocus(attribute, location) {
  const mine = (focus = { attribute, page: store.page, location, place: null });
  drawFocus();
  try {
    const place = await api.get("place/", { page: mine.page, location: JSON.stringify(location) });
    if (focus !== mine) return;
    focus.place = place;
    drawFocus();
  } catch (error) {
    if (focus === mine) fail(said(error));
  }
}

/** Widens, narrows or turns what is in focus. @param {(place: import("./trail.js").Described) => Place | null} how */
function adjust(how) {
  const to = focus?.place && how(focus.place);
  if (to) adjustTo(to);
}

/** @param {Place} to */
function adjustTo(to) {
  if (!focus) return;
  if (focus.attribute === null) {
    say({ type: "cursor", location: to });
    setFocus(null, to);
    return;
  }
  const { attribute: id, location: from } = focus;
  const attribute = stores.attributeOf(store, id);
  if (!attribute) return;
  const { values } = stores.standing(store, id, store.page);
  mark(attribute, [...values.filter((value) => !samePlace(value.location, from) && !samePlace(value.location, to)), { location: to, value: "…" }], to);
}

function escape() {
  if (tree.shown) closeTree();
  else if (focus) {
    dropFocus();
    drawFocus();
  } else if (store.similar.get(store.current)?.values.length) {
    store.similar.delete(store.current);
    draw();
  }
}

/** @param {boolean} searching */
function openTree(searching) {
  tree.open(store.page, searching);
  drawHead(store, styled, true);
}

function closeTree() {
  tree.close();
  drawHead(store, styled, false);
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

// ---- Keys ------------------------------------------------------------------------------------------------------------

/** @type {Record<string, () => void>} */
const COMMANDS = {
  confirm, confirmAll, absent, clear, escape,
  undo: () => replay("undo/"),
  redo: () => replay("redo/"),
  previousPage: () => openBy(-1),
  nextPage: () => openBy(1),
  tree: () => (tree.shown ? closeTree() : openTree(false)),
  search: () => openTree(true),
  styles: () => { styled = !styled; say({ type: "styles", on: styled }); draw(); },
  overlays: () => {
    overlays = !overlays;
    say({ type: "overlays", on: overlays });
    byId("overlays").setAttribute("aria-pressed", String(overlays));
  },
  dimmed: () => toggleDimmed(store.page),
  wider: () => adjust(wider),
  narrower: () => adjust(narrower),
  another: () => adjust(another),
  next: () => say({ type: "move", step: 1 }),
  previous: () => say({ type: "move", step: -1 }),
  nextFar: () => say({ type: "move", step: FAR }),
  previousFar: () => say({ type: "move", step: -FAR }),
  nextRow,
  nextAttribute: () => chooseBy(1),
  previousAttribute: () => chooseBy(-1),
  keys: () => /** @type {HTMLDialogElement} */ (byId("keys")).showModal(),
};

/** @param {import("./commands.js").Press} pressed @returns {boolean} whether it meant anything */
function press(pressed) {
  const command = store && commandOf(pressed, store);
  if (!command) return false;
  if (command.startsWith("attribute:")) choose(Number(command.slice("attribute:".length)));
  else COMMANDS[command]();
  return true;
}

document.addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (!store || event.defaultPrevented || document.querySelector("dialog[open]")) return;
  const typing = target.matches("input, textarea, select");
  if (typing && event.key !== "Escape") return;
  // A button in focus keeps its Enter; one that was clicked with the pointer is not in focus for the keyboard.
  if (event.key === "Enter" && target.matches("button:focus-visible, a:focus-visible, summary:focus-visible")) return;
  if (press({ key: event.key, ctrl: event.ctrlKey || event.metaKey, shift: event.shiftKey, alt: event.altKey })) event.preventDefault();
});

root.addEventListener("click", (event) => {
  const command = /** @type {Element} */ (event.target).closest("[data-command]")?.getAttribute("data-command");
  if (command && store) COMMANDS[command]?.();
});

// ---- Drawing ---------------------------------------------------------------------------------------------------------

function draw() {
  drawSamples(byId("samples"), store, openPage);
  drawPanel(byId("attributes"), store, { choose, confirm, absent, clear, remove, open: openPage, missing, different, openRow, acceptRows, show });
  say({ type: "marks", marks: marksOf(store) });
  sayMode();
  drawHead(store, styled, tree.shown);
  drawFocus();
  drawSaved(store, saves());
  drawFoot(store);
}

/** @param {Value} value */
function show({ location }) {
  if (root.dataset.loading === undefined) say({ type: "show", location });
  else wantedPlace = location;
}

function drawFocus() {
  drawTrail(byId("trail"), focus?.place ?? null, adjustTo);
}

const saves = () => ({ saving: api.busy(), failed, at: savedAt });

/** @param {string} text */
function fail(text) {
  toast(text, "error");
}

// ---- Leaving and coming back -----------------------------------------------------------------------------------------

addEventListener("pagehide", api.flush);
addEventListener("beforeunload", (event) => { if (api.busy()) event.preventDefault(); });
addEventListener("focus", lookAgain);
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") api.flush();
  else lookAgain();
});

// ---- Start -----------------------------------------------------------------------------------------------------------

/** A place in the workbench's own address; null where there is none. @param {string | null} text @returns {Place | null} */
function placeIn(text) {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null; // Somebody cut the address short.
  }
}

async function start() {
  byId("warming").textContent = "choosing the sample pages…";
  const query = new URLSearchParams(location.search);
  try {
    store = stores.create(await api.get("state/", { also: query.get("page") ?? "" }));
  } catch (error) {
    byId("warming").textContent = "";
    return fail(said(error));
  }
  byId("warming").textContent = "reading pages…";
  saved = structuredClone(store.labels);
  const wanted = Number(query.get("page"));
  const undone = store.samples.find((sample) => stores.saidOn(store, sample.id) < store.attributes.length);
  store.page = store.samples.find((sample) => sample.id === wanted)?.id ?? undone?.id ?? store.page;
  byId("no-samples").hidden = store.samples.length > 0;
  byId("frame").hidden = !store.samples.length;
  byId("no-attributes").hidden = store.attributes.length > 0;
  store.current = stores.attributeOf(store, Number(query.get("attribute")))?.id ?? stores.nextUnsaid({ ...store, current: store.attributes.at(-1)?.id ?? 0 }) ?? store.current;
  wantedPlace = placeIn(query.get("show"));
  showPage(stores.pageOf(store)?.frame);
  draw();
  byId("learn").addEventListener("click", () => learn());
  byId("publish").addEventListener("click", publish);
  suggest(store.page);
  setInterval(() => drawSaved(store, saves()), 5000);
  warm();
}

start();
