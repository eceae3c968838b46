// The right column: the attributes, each with its value on this page, its state on each sample and its hit rate.

import { h, icon } from "../core/dom.js";
import { gettext, ngettext } from "../core/words.js";
import { drawListHead, drawListTable } from "./listpanel.js";
import { drawReading, drawUnread } from "./readings.js";
import { beside, hasSeveralElsewhere, isAwaited, isOffered, offered, percent, standing } from "./store.js";

const SIGNS = { confirmed: "●", absent: "–", proposed: "○", suggested: "◇", none: "·", unknown: "" };
const WORDS = { confirmed: gettext("confirmed"), absent: gettext("not on this page"), proposed: gettext("proposed"), suggested: gettext("suggested by the embedded data"), none: gettext("nothing found"), unknown: gettext("not marked") };

/**
 * @typedef {import("./store.js").Store} Store
 * @typedef {import("./store.js").Attribute} Attribute
 * @typedef {{choose: (attribute: number) => void, confirm: () => void, addBeside: () => void, absent: () => void, clear: () => void, remove: (number: number) => void, open: (page: number) => void, missing: (attribute: number) => void, unread: (attribute: number) => void, different: (attribute: number) => void, show: (value: import("./store.js").Value) => void} & import("./listpanel.js").ListActions} Actions
 */

/** @param {HTMLElement} list @param {Store} store @param {Actions} actions */
export function drawPanel(list, store, actions) {
  const top = list.scrollTop;
  const lines = store.attributes.flatMap((attribute, number) => [
    number && attribute.list === store.attributes[number - 1].list ? null : headOf(store, attribute, actions),
    row(store, attribute, actions),
    attribute.list === (store.attributes[number + 1]?.list ?? null) ? null : tableOf(store, attribute, actions),
  ]);
  list.replaceChildren(...lines.filter((line) => line !== null));
  list.scrollTop = top;
  showCurrent(list);
}

/** Keeps the current attribute in sight, also when the note below the list takes some of its height. @param {HTMLElement} list */
export function followCurrent(list) {
  new ResizeObserver(() => showCurrent(list)).observe(list);
}

/** @param {HTMLElement} list */
function showCurrent(list) {
  list.querySelector(".wb-attribute[aria-current]")?.scrollIntoView({ block: "nearest" });
}

/** The heading of a list, above its first attribute. @param {Store} store @param {Attribute} attribute @param {Actions} actions */
function headOf(store, attribute, actions) {
  const list = store.lists.find(({ id }) => id === attribute.list);
  return list ? drawListHead(store, list, actions) : null;
}

/** The found rows of a list, below its last attribute. @param {Store} store @param {Attribute} attribute @param {Actions} actions */
function tableOf(store, attribute, actions) {
  const list = store.lists.find(({ id }) => id === attribute.list);
  return list ? drawListTable(store, list, actions) : null;
}

/** @param {Store} store @param {Attribute} attribute @param {Actions} actions */
function row(store, attribute, actions) {
  const how = standing(store, attribute.id, store.page);
  const draft = store.drafts.get(attribute.id);
  const current = attribute.id === store.current;
  return h(
    "li",
    { class: "wb-attribute", "aria-current": current ? "true" : null, data: { hue: attribute.hue, attribute: attribute.id, standing: how.kind }, on: { click: () => actions.choose(attribute.id) } },
    h(
      "div",
      { class: "wb-attribute-head" },
      h("kbd", { class: "wb-key" }, attribute.hotkey || "·"),
      h("button", { type: "button", class: "wb-name truncate", title: describe(attribute) }, attribute.name),
      attribute.mandatory && h("span", { class: "muted small", title: gettext("Mandatory: a record without it is incomplete") }, gettext("mandatory")),
      attribute.multiple && h("span", { class: "muted small", title: gettext("A record may have several values") }, gettext("several")),
      rate(draft, attribute, actions),
    ),
    values(how, current, actions, (text) => drawReading(store, attribute, text), isAwaited(store, attribute)),
    draft?.state === "failed" && !attribute.list && !(current && offered(store).length) && h("p", { class: "wb-failure" }, icon("warn"), h("span", {}, reason(draft, attribute), ...places(draft, attribute, actions))),
    how.words && h("p", { class: "wb-source muted small" }, how.words === "live rule" ? gettext("found by the live rule") : how.words === "main text" ? gettext("the page’s main text: where it differs from the others") : gettext("from the embedded data: %(words)s", { words: how.words })),
    current && agreement(draft, attribute, actions),
    drawUnread(store, attribute, actions.unread),
    strip(store, attribute, current, actions),
    current && how.values.length === 1 && hasSeveralElsewhere(store, attribute.id) && h("p", { class: "wb-source muted small" }, gettext("Other samples have several values.")),
    current && h("div", {}, buttons(store, how, actions), others(store, attribute, actions)),
  );
}

/** Why nothing was learned, without the name of the attribute, which the row shows already. @param {import("./store.js").Draft} draft @param {Attribute} attribute */
function reason(draft, attribute) {
  const text = draft.message ?? "";
  return text.startsWith(`${attribute.name}: `) ? text.slice(attribute.name.length + 2) : text;
}

/** Links to the values that contradict each other. @param {import("./store.js").Draft} draft @param {Attribute} attribute @param {Actions} actions */
function places(draft, attribute, actions) {
  return (draft.places ?? []).map(({ page, location, value }, number) => {
    const go = (/** @type {Event} */ event) => { event.stopPropagation(); actions.choose(attribute.id); actions.open(page); actions.show({ location, value }); };
    return h("span", {}, number ? gettext(" and ") : ": ", h("button", { type: "button", class: "button-link", on: { click: go } }, value.slice(0, 40) || gettext("this place")));
  });
}

/** @param {Attribute} attribute */
function describe(attribute) {
  return [attribute.name, attribute.type, attribute.multiple ? gettext("several values") : gettext("one value"), attribute.mandatory ? gettext("mandatory") : gettext("optional")].join(" · ");
}

/** @param {import("./store.js").Draft | undefined} draft @param {Attribute} attribute @param {Actions} actions */
function rate(draft, attribute, actions) {
  if (draft?.state === "asking") return h("span", { class: "wb-rate muted" }, "…");
  const found = draft?.coverage;
  if (draft?.state !== "learned" || !found) return null;
  const open = !found.complete;
  const title = [
    gettext("A value on %(hits)s of %(checked)s pages checked", { hits: found.hits, checked: found.checked }),
    open ? gettext(", %(left)s to go", { left: found.total - found.checked }) : "",
    found.several ? gettext("; several different ones on %(several)s", { several: found.several }) : "",
    `. ${gettext("Click to see the pages without one.")}`,
  ].join("");
  return h(
    "button",
    { type: "button", class: "wb-rate figures", title, "aria-label": title, on: { click: (/** @type {Event} */ event) => { event.stopPropagation(); actions.missing(attribute.id); } } },
    open && h("span", { class: "muted" }, "≈ "),
    percent(found.hits, found.checked),
  );
}

/** How far the draft agrees with the pages' own data. @param {import("./store.js").Draft | undefined} draft @param {Attribute} attribute @param {Actions} actions */
function agreement(draft, attribute, actions) {
  const found = draft?.state === "learned" ? draft.agreement : null;
  if (!found) return null;
  const text = gettext("agrees with the embedded data on %(agree)s of %(compared)s pages", { agree: found.agree, compared: found.compared });
  if (found.agree === found.compared) return h("p", { class: "wb-source muted small", title: found.words }, text);
  return h("p", { class: "wb-source small" }, h("button", { type: "button", class: "button-link", title: `${found.words}. ${gettext("Click to see the pages that differ.")}`, on: { click: (/** @type {Event} */ event) => { event.stopPropagation(); actions.different(attribute.id); } } }, text));
}

/** @param {import("./store.js").Standing} how @param {boolean} current @param {Actions} actions @param {(text: string) => HTMLElement | null} reading
 * @param {boolean} awaited whether a rule's values are on their way */
function values(how, current, actions, reading, awaited) {
  const word = WORDS[how.kind];
  const sign = h("span", { class: `wb-sign wb-sign-${how.kind}`, title: word }, SIGNS[how.kind]);
  if (!how.values.length) return h("div", { class: "wb-values muted" }, sign, h("span", {}, how.kind === "absent" ? gettext("not on this page") : how.kind === "none" ? gettext("the rule finds nothing here") : awaited ? gettext("looking…") : gettext("not marked yet")));
  if (how.values.length === 1) return h("div", { class: "wb-values" }, sign, h("div", {}, value(how.values[0], current, actions), reading(how.values[0].value)));
  const shown = current ? how.values : how.values.slice(0, 1);
  return h(
    "div",
    { class: "wb-values" },
    sign,
    h(
      "div",
      { class: "wb-several" },
      h("div", { class: "muted small" }, gettext("%(count)s values", { count: how.values.length })),
      h("ol", {}, ...shown.map((each, number) => h("li", {}, h("div", {}, value(each, false, actions), reading(each.value)), current && remove(number, actions)))),
    ),
  );
}

/** @param {import("./store.js").Value} one @param {boolean} current @param {Actions} actions */
function value(one, current, actions) {
  const text = h("span", { class: current ? "wb-value wb-value-long" : "wb-value truncate", title: one.value, on: { click: () => actions.show(one) } }, one.value || gettext("(empty)"));
  if (one.location.kind !== "attribute") return text;
  return h("span", { class: "wb-from" }, h("code", { class: "muted" }, `@${one.location.attribute}`), text);
}

/** @param {number} number @param {Actions} actions */
function remove(number, actions) {
  return h("button", { type: "button", class: "button button-quiet wb-remove", title: gettext("Remove this value"), "aria-label": gettext("Remove this value"), on: { click: (/** @type {Event} */ event) => { event.stopPropagation(); actions.remove(number); } } }, icon("close"));
}

/** A small square for each sample: what is marked or found there. A click opens the sample, but only in the row of the current attribute:
 * elsewhere it chooses the attribute as a click beside it does, so that nobody marks on another page than the one in sight.
 * @param {Store} store @param {Attribute} attribute @param {boolean} current @param {Actions} actions */
function strip(store, attribute, current, actions) {
  return h(
    "div",
    { class: "wb-strip" },
    ...store.samples.map((sample, number) => {
      const how = standing(store, attribute.id, sample.id);
      const text = how.values.map((each) => each.value).join(" · ");
      const title = `${gettext("Sample %(number)s", { number: number + 1 })}: ${WORDS[how.kind]}${text ? `: ${text.slice(0, 200)}` : ""}`;
      return h("button", { type: "button", class: `wb-square wb-square-${how.kind}`, tabindex: "-1", title, "aria-label": title, "aria-current": sample.id === store.page ? "true" : null, on: { click: (/** @type {Event} */ event) => { if (!current) return; event.stopPropagation(); actions.open(sample.id); } } });
    }),
  );
}

/** @param {Store} store @param {import("./store.js").Standing} how @param {Actions} actions */
function buttons(store, how, actions) {
  const like = offered(store).length;
  const further = beside(store).length;
  const act = (/** @type {string} */ text, /** @type {string} */ key, /** @type {() => void} */ run, primary = false) =>
    h("button", { type: "button", class: `button button-small${primary ? " wb-confirm" : ""}`, on: { click: (/** @type {Event} */ event) => { event.stopPropagation(); run(); } } }, text, h("kbd", {}, key));
  return h(
    "div",
    { class: "wb-buttons" },
    like > 0 && act(gettext("Add %(count)s similar", { count: like }), "↵", actions.confirm, true),
    isOffered(how) && act(how.kind === "suggested" ? gettext("Accept") : gettext("Confirm"), "↵", actions.confirm, true),
    further > 0 && act(ngettext("Add the value beside it", "Add the %(count)s values beside it", further), "e", actions.addBeside),
    // Enter confirms that there is nothing where the rule finds nothing.
    how.kind === "none" && act(gettext("Not here"), "↵", actions.confirm),
    how.kind !== "absent" && how.kind !== "none" && act(gettext("Not here"), "x", actions.absent),
    (how.kind === "confirmed" || how.kind === "absent") && act(gettext("Clear"), "⌫", actions.clear),
  );
}

/** What is confirmed or found on the other samples. @param {Store} store @param {Attribute} attribute @param {Actions} actions */
function others(store, attribute, actions) {
  const rows = store.samples
    .map((sample, number) => ({ sample, number, how: standing(store, attribute.id, sample.id) }))
    .filter(({ sample, how }) => sample.id !== store.page && how.kind !== "unknown");
  if (!rows.length) return null;
  return h(
    "div",
    { class: "wb-others" },
    h("h3", { class: "muted small" }, gettext("On the other samples")),
    h(
      "ol",
      {},
      ...rows.map(({ sample, number, how }) => {
        const text = how.values.map((each) => each.value).join(" · ") || WORDS[how.kind];
        return h(
          "li",
          {},
          h(
            "button",
            { type: "button", class: "wb-other", title: text, on: { click: (/** @type {Event} */ event) => { event.stopPropagation(); actions.open(sample.id); } } },
            h("span", { class: "figures muted" }, String(number + 1)),
            h("span", { class: `wb-sign wb-sign-${how.kind}` }, SIGNS[how.kind]),
            h("span", { class: `truncate${how.values.length ? "" : " muted"}` }, how.values.length > 1 ? `${how.values.length}: ${text}` : text),
          ),
        );
      }),
    ),
  );
}
