// The tree of a page: all elements, hidden ones too, with their texts and attributes. Branches are loaded when they are opened.

import { byId, h, icon, said } from "../core/dom.js";
import { gettext } from "../core/words.js";

/** @typedef {import("../display/places.js").Place} Place */

/** @param {{get: (path: string, query?: Record<string, string | number>) => Promise<any>}} api @param {(place: Place) => void} choose @param {(text: string) => void} fail */
export function treePanel(api, choose, fail) {
  const panel = byId("tree");
  const rows = byId("tree-rows");
  const field = /** @type {HTMLInputElement} */ (byId("tree-search"));
  let page = 0;
  let asked = 0;
  let timer = 0;
  let shownFor = "";

  /** @param {Record<string, string | number>} query */
  const ask = (query) => api.get("tree/", { page, ...query });

  async function root() {
    const mine = ++asked;
    try {
      const { rows: found } = await ask({});
      if (mine !== asked) return;
      shownFor = "";
      const list = h("ul", { class: "wb-tree-list", role: "tree" }, ...found.map(item));
      rows.replaceChildren(list);
      for (const opener of list.querySelectorAll("[data-open]")) /** @type {HTMLElement} */ (opener).click();
      if (document.activeElement === document.body) /** @type {HTMLElement | null} */ (list.querySelector(".wb-take"))?.focus();
    } catch (error) {
      fail(said(error));
    }
  }

  async function search() {
    const words = field.value.trim();
    clearTimeout(timer);
    if (!words) return root();
    const mine = ++asked;
    try {
      const { hits, more } = await ask({ search: words });
      if (mine !== asked) return;
      const list = hits.map((/** @type {any} */ hit) => h("li", {}, line(hit.label, hit.value, hit.location, hit.unusable)));
      shownFor = words;
      rows.replaceChildren(hits.length ? h("ul", { class: "wb-tree-list" }, ...list) : h("p", { class: "muted" }, gettext("Nothing on this page contains “%(words)s”.", { words })));
      if (more) rows.append(h("p", { class: "muted" }, gettext("Only the first %(hits)s are shown. Type more to narrow the search.", { hits: hits.length })));
    } catch (error) {
      fail(said(error));
    }
  }

  /** @param {any} row @returns {HTMLElement} */
  function item(row) {
    const below = h("ul", {});
    const opener = row.children ? h("button", { type: "button", class: "wb-twist", "aria-label": gettext("Open"), "aria-expanded": "false", data: { open: row.node }, on: { click: toggle } }, "▸") : h("span", { class: "wb-twist" });
    /** @param {Event} event */
    async function toggle(event) {
      const button = /** @type {HTMLElement} */ (event.currentTarget);
      const open = button.getAttribute("aria-expanded") !== "true";
      button.setAttribute("aria-expanded", String(open));
      button.textContent = open ? "▾" : "▸";
      below.hidden = !open;
      if (open && !below.childElementCount) await more(below, row.node, 0);
    }
    return h("li", { role: "treeitem" }, h("div", { class: "tree-row" }, opener, h("button", { type: "button", class: "wb-take wb-element", disabled: !!row.unusable, title: row.unusable, on: { click: () => choose({ node: row.node, kind: "element" }) } }, row.label)), options(row), below);
  }

  /** @param {HTMLElement} below @param {number} node @param {number} after */
  async function more(below, node, after) {
    try {
      const found = await ask({ node, after });
      below.append(...found.rows.map(item));
      if (found.more !== null) {
        const button = h("button", { type: "button", class: "button button-small", on: { click: () => { button.remove(); more(below, node, found.more); } } }, gettext("More children"));
        below.append(button);
      }
    } catch (error) {
      fail(said(error));
    }
  }

  /** @param {any} row */
  function options(row) {
    const why = row.unusable && h("li", { class: "muted small" }, `${row.unusable}.`);
    if (!row.options.length && !why) return null;
    return h("ul", { class: "wb-tree-options" }, why, ...row.options.map((/** @type {any} */ option) => h("li", {}, line(option.label, option.value, option.location))));
  }

  /** @param {string} label @param {string} value @param {Place} location @param {string} [unusable] why it cannot be taken */
  function line(label, value, location, unusable = "") {
    return h("button", { type: "button", class: "wb-take", title: unusable || value, disabled: !!unusable, on: { click: () => choose(location) } }, h("code", { class: "muted" }, label), h("span", { class: "truncate" }, value), unusable && h("span", { class: "muted small" }, `${unusable}.`));
  }

  /** Takes the first hit of what is typed now. The hits may still be on their way. */
  async function takeFirst() {
    const words = field.value.trim();
    if (!words) return;
    if (shownFor !== words) await search();
    const first = rows.querySelector("button.wb-take:not([disabled])");
    if (shownFor === words && first instanceof HTMLElement) first.click();
  }

  /** @param {number} step */
  function walk(step) {
    const all = [...rows.querySelectorAll("button")].filter((button) => button.offsetParent !== null);
    const at = all.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    all[Math.min(all.length - 1, Math.max(0, at + step))]?.focus();
  }

  panel.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (event.key === "ArrowUp" && document.activeElement === rows.querySelector("button")) field.focus();
      else walk(event.key === "ArrowDown" ? 1 : -1);
    } else if ((event.key === "ArrowRight" || event.key === "ArrowLeft") && document.activeElement instanceof HTMLElement && document.activeElement !== field) {
      const twist = /** @type {HTMLElement | null} */ (document.activeElement.closest("li")?.querySelector(".wb-twist[aria-expanded]"));
      if (twist?.getAttribute("aria-expanded") === String(event.key === "ArrowLeft")) twist.click();
    } else if (event.key === "Enter" && event.target === field) {
      takeFirst();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(search, 120);
  });
  byId("tree-close").append(icon("close"));

  return {
    /** @param {number} of @param {boolean} searching */
    open(of, searching) {
      const fresh = page !== of || panel.hidden;
      page = of;
      panel.hidden = false;
      if (!searching) field.value = "";
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      if (fresh) search();
      if (searching) {
        field.focus();
        field.select();
      }
    },
    close() {
      panel.hidden = true;
    },
    get shown() {
      return !panel.hidden;
    },
    /** @param {number} of */
    follow(of) {
      if (panel.hidden || page === of) return;
      page = of;
      search();
    },
  };
}
