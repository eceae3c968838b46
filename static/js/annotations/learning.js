// What runs beside marking: reading pages, learning drafts, counting hits; and learning and publishing the rule.

import { byId, h, said } from "../core/dom.js";
import { gettext } from "../core/words.js";
import { drawUnreadLine, nameUnread } from "./readings.js";
import { columns } from "./rows.js";
import { attributeOf, keep } from "./store.js";

const POLL_MS = 400;
const BREATH_MS = 150; // Pause between two slices of counting, so that a click need not wait.

/**
 * @param {{get: (path: string, query?: Record<string, string | number>) => Promise<any>, post: (path: string, body?: unknown) => Promise<any>, idle: () => Promise<void>, busy: () => boolean}} api
 * @param {() => import("./store.js").Store} known the store @param {() => void} draw @param {(text: string) => void} fail
 * @param {() => void} taughtAll called when all labels have been learned from
 */
export function learner(api, known, draw, fail, taughtAll) {
  let counting = false;

  /** Attributes whose labels changed and the page they changed on. @type {Map<number, number>} */ const taught = new Map();
  let teaching = false;

  /** Asks for new drafts of attributes whose labels changed, the current one first. If an attribute is marked again in the meantime, its draft is
   * asked for again afterwards, so several quick changes are learned from together. @param {number[]} attributes @param {number} page */
  async function teach(attributes, page) {
    for (const attribute of attributes) taught.set(attribute, page);
    if (teaching) return;
    teaching = true;
    try {
      while (taught.size) await lesson();
    } catch (error) {
      fail(said(error));
    } finally {
      teaching = false;
      taught.clear();
      if (!api.busy()) delete byId("workbench").dataset.learning;
    }
    taughtAll();
    count();
  }

  async function lesson() {
    const store = known();
    const attribute = taught.has(store.current) ? store.current : [...taught.keys()][0];
    const page = taught.get(attribute) ?? store.page;
    taught.delete(attribute);
    const labels = JSON.stringify(store.labels[attribute]);
    const draft = await api.get("draft/", { attribute, page, also: alsoShown(store) });
    // The attribute was marked again while this draft was learned; the answer to that mark asks for another.
    if (taught.has(attribute) || JSON.stringify(store.labels[attribute]) !== labels) return;
    keep(store, draft);
    if (draft.list) for (const each of columns(store, draft.list)) taught.delete(each.id);
    if (draft.similar) store.similar.set(attribute, { page, values: draft.similar });
    draw();
  }

  /** Counts hits in the background, the current attribute first, and gives way to every change. */
  async function count() {
    if (counting) return;
    counting = true;
    try {
      while (await countSlice());
    } catch (error) {
      fail(said(error));
    } finally {
      counting = false;
    }
  }

  /** @returns {Promise<boolean>} whether there was anything to count */
  async function countSlice() {
    await new Promise((done) => setTimeout(done, BREATH_MS));
    await api.idle();
    const store = known();
    const open = [store.current, ...store.drafts.keys()].map((id) => store.drafts.get(id)).find((draft) => draft?.coverage && !draft.coverage.complete);
    if (!open?.coverage) return false;
    const { coverage } = await api.get("coverage/", { attribute: open.attribute });
    // A new mark has brought another draft, so this count belongs to the old one.
    if (store.drafts.get(open.attribute) !== open) return true;
    store.drafts.set(open.attribute, { ...open, coverage: coverage ?? { ...open.coverage, complete: true } });
    draw();
    return true;
  }

  /** Makes the server read the pages to learn from, then asks for drafts of the attributes that already have labels. */
  async function warm() {
    try {
      for (let complete = false; !complete; ) {
        await api.idle();
        const filling = await api.get("warm/");
        complete = filling.complete;
        byId("warming").textContent = complete ? "" : gettext("reading page %(loaded)s of %(wanted)s…", { loaded: filling.loaded, wanted: filling.wanted });
      }
      for (const attribute of known().attributes) await draftOf(attribute.id);
      taughtAll();
      count();
    } catch (error) {
      byId("warming").textContent = "";
      fail(said(error));
    }
  }

  /** @param {number} attribute */
  async function draftOf(attribute) {
    const store = known();
    if (!Object.keys(store.labels[attribute] ?? {}).length) return;
    await api.idle();
    const before = store.drafts.get(attribute);
    const draft = await api.get("draft/", { attribute, also: alsoShown(store) });
    if (store.drafts.get(attribute) === before) keep(store, draft);
    draw();
  }

  /** Lists the pages on which a draft finds nothing. @param {number} id */
  async function missing(id) {
    const coverage = known().drafts.get(id)?.coverage;
    const attribute = attributeOf(known(), id);
    if (!coverage || !attribute) return;
    const none = coverage.checked - coverage.hits;
    await list(gettext("%(name)s: %(none)s of %(checked)s pages without a value", { name: attribute.name, none, checked: coverage.checked }), coverage.without, none, gettext("None. The rule finds a value on every page checked so far."));
  }

  /** Lists the pages on which a draft differs from the page's own data. @param {number} id */
  async function different(id) {
    const found = known().drafts.get(id)?.agreement;
    const attribute = attributeOf(known(), id);
    if (!found || !attribute) return;
    const count = found.compared - found.agree;
    await list(gettext("%(name)s: %(count)s of %(compared)s pages differ from %(words)s", { name: attribute.name, count, compared: found.compared, words: found.words }), found.different, count, gettext("None."));
  }

  /** Lists the values that could not be read. A click opens the page and shows the value. @param {number} id */
  function unread(id) {
    const found = known().drafts.get(id)?.unread;
    const attribute = attributeOf(known(), id);
    if (!found || !attribute) return;
    const lines = found.values.map((each) => drawUnreadLine(attribute, each));
    byId("missing-title").textContent = nameUnread(attribute, found);
    byId("missing-list").replaceChildren(...lines, ...(found.count > lines.length ? [h("li", { class: "muted" }, gettext("and %(more)s more", { more: found.count - lines.length }))] : []));
    /** @type {HTMLDialogElement} */ (byId("missing")).showModal();
  }

  /** Shows pages in the dialog, each with a link that opens it in the workbench. @param {string} title @param {number[]} ids @param {number} count @param {string} empty */
  async function list(title, ids, count, empty) {
    const rows = byId("missing-list");
    byId("missing-title").textContent = title;
    rows.replaceChildren(h("li", { class: "muted" }, count ? "…" : empty));
    /** @type {HTMLDialogElement} */ (byId("missing")).showModal();
    if (!count) return;
    try {
      const { pages } = await api.get("without/", { pages: ids.join(",") });
      rows.replaceChildren(...pages.map(link));
      if (count > pages.length) rows.append(h("li", { class: "muted" }, gettext("and %(more)s more", { more: count - pages.length })));
    } catch (error) {
      fail(said(error));
    }
  }

  /** Learns the rule and opens it. @param {boolean} [live] whether to publish it at once */
  async function learn(live = false) {
    const note = byId("learning");
    byId("learn").setAttribute("disabled", "");
    note.hidden = false;
    note.className = "note wb-note";
    note.textContent = gettext("Learning the rule…");
    try {
      const { progress } = await api.post("learn/");
      const rule = await finished(progress, (text) => { note.textContent = text; });
      if (!live) location.assign(rule);
      else if (!(await goLive())) stopped();
    } catch (error) {
      note.classList.add("note-broken");
      note.textContent = said(error);
      byId("learn").removeAttribute("disabled");
    }
  }

  /** @param {string} progress address @param {(text: string) => void} tell @returns {Promise<string>} the rule's address */
  async function finished(progress, tell) {
    for (;;) {
      const run = await api.get(progress);
      if (run.rule) return run.rule;
      if (run.state === "failed" || run.state === "cancelled") throw new Error([run.message, ...run.problems].filter(Boolean).join("\n") || gettext("The run was cancelled."));
      tell(run.message || (run.state === "queued" ? gettext("Waiting for a worker…") : gettext("Learning the rule…")));
      await new Promise((done) => setTimeout(done, POLL_MS));
    }
  }

  function stopped() {
    byId("learning").hidden = true;
    byId("learn").removeAttribute("disabled");
  }

  /** Publishes the newest draft and opens it. Asks first when it finds nothing for some attributes or when values are in doubt.
   * @returns {Promise<boolean>} whether it is live */
  async function goLive() {
    let answer = await api.post("publish/", { lacking: [], doubts: [] });
    if (answer.lacking) {
      if (!window.confirm(askToPublish(answer))) return false;
      answer = await api.post("publish/", { lacking: answer.lacking, doubts: answer.doubts });
    }
    location.assign(answer.rule);
    return true;
  }

  async function publish() {
    try {
      await goLive();
    } catch (error) {
      fail(said(error));
    }
  }

  /** Asks what the drafts give on a page that was just opened. @param {number[]} attributes */
  async function lookUp(attributes) {
    for (const attribute of attributes) await draftOf(attribute);
  }

  return { count, teach, warm, missing, unread, different, learn, publish, lookUp };
}

/** The question before a rule is published that lacks attributes or gives doubtful values. @param {{lacking: string[], doubts: string[]}} answer */
function askToPublish({ lacking, doubts }) {
  const lines = [];
  if (lacking.length) lines.push(gettext("The rule finds nothing for: %(names)s.", { names: lacking.join(", ") }));
  if (doubts.length) lines.push(gettext("Some values are missing or look wrong:"), ...doubts.map((doubt) => `• ${doubt}`));
  return [...lines, doubts.length ? gettext("Publish it anyway?") : gettext("Publish it without them?")].join("\n");
}

/** The shown pages that are not samples. @param {import("./store.js").Store} store */
const alsoShown = (store) => store.samples.filter((sample) => sample.covered === null).map((sample) => sample.id).join(",");

/** @param {any} page */
function link(page) {
  return h("li", {}, h("a", { href: `?page=${page.id}`, class: "truncate", title: `${page.url}\n${gettext("Open it here")}` }, page.title || page.url));
}
