// Keys and buttons of the workbench: each runs a command.

import { byId } from "../core/dom.js";
import { commandOf } from "./commands.js";

/** @typedef {import("./bench.js").Bench} Bench @typedef {import("./commands.js").Press} Press */

/** @param {Bench} bench @param {Record<string, () => void>} commands */
export function createKeyboard(bench, commands) {
  /** Runs the command of a key. @param {Press} pressed @returns {boolean} whether the key meant anything */
  function press(pressed) {
    const command = bench.store && commandOf(pressed, bench.store);
    if (!command) return false;
    if (command.startsWith("attribute:")) bench.choose(Number(command.slice("attribute:".length)));
    else commands[command]();
    return true;
  }

  /** @param {KeyboardEvent} event */
  function keyPressed(event) {
    const target = event.target instanceof Element ? event.target : document.body;
    if (!bench.store || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (target.matches("input, textarea, select") && event.key !== "Escape") return;
    // Enter presses a button that was focused with the keyboard, but not one that was clicked.
    if (event.key === "Enter" && target.matches("button:focus-visible, a:focus-visible, summary:focus-visible")) return;
    if (press({ key: event.key, ctrl: event.ctrlKey || event.metaKey, shift: event.shiftKey, alt: event.altKey })) event.preventDefault();
  }

  /** @param {MouseEvent} event */
  function clicked(event) {
    const command = event.target instanceof Element ? event.target.closest("[data-command]")?.getAttribute("data-command") : null;
    if (command && bench.store) commands[command]?.();
  }

  document.addEventListener("keydown", keyPressed);
  byId("workbench").addEventListener("click", clicked);
  return { press };
}
