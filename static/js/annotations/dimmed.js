// Dims what is the same on all pages of the template, so that the content stands out. Off by default.

import { byId, said } from "../core/dom.js";
import { gettext, ngettext } from "../core/words.js";

/** @param {ReturnType<typeof import("./api.js").connect>} api @param {(message: import("../display/messages.js").ToFrame) => void} say @param {(text: string, kind?: "error") => void} tell */
export function dimming(api, say, tell) {
  const button = byId("dimmed");
  const status = byId("dimming");
  /** @type {Map<number, number[]>} */ const known = new Map();
  let on = false;
  let shown = 0;

  /** Dims the page that the frame shows, or shows it plain. @param {number} page */
  async function show(page) {
    shown = page;
    status.textContent = "";
    if (!on) return say({ type: "dimmed", nodes: [] });
    if (!known.has(page)) {
      button.setAttribute("aria-busy", "true");
      try {
        known.set(page, (await api.get("dimmed/", { page })).nodes);
      } catch (error) {
        turn(false);
        tell(said(error), "error");
      }
      button.removeAttribute("aria-busy");
    }
    if (!on || shown !== page) return;
    const nodes = known.get(page) ?? [];
    status.textContent = nodes.length ? ngettext("%(count)s part dimmed", "%(count)s parts dimmed", nodes.length) : gettext("nothing to dim here");
    say({ type: "dimmed", nodes });
  }

  /** @param {boolean} wanted */
  function turn(wanted) {
    on = wanted;
    button.setAttribute("aria-pressed", String(on));
  }

  /** @param {number} page */
  function toggle(page) {
    turn(!on);
    show(page);
  }

  return { show, toggle };
}
