// The keys of the workbench. The key of an attribute comes before that of a command; with Alt a key is always a command.


/** @typedef {{key: string, ctrl: boolean, shift: boolean, alt: boolean}} Press */

const COMMANDS = new Map(
  Object.entries({
    Enter: "confirm", x: "absent", Backspace: "clear", Delete: "clear", "[": "previousPage", "]": "nextPage", t: "tree", "/": "search", s: "styles", o: "overlays", d: "dimmed",
    ArrowUp: "wider", ArrowLeft: "wider", ArrowDown: "narrower", ArrowRight: "narrower", a: "another", j: "next", k: "previous", J: "nextFar", K: "previousFar",
    e: "addBeside", r: "nextRow", n: "nextAttribute", p: "previousAttribute", "?": "keys", Escape: "escape",
  }),
);

/** What a key means: a command's name, "attribute:<id>", or null. @param {Press} press @param {import("./store.js").Store} store @returns {string | null} */
export function commandOf(press, store) {
  const letter = press.key.toLowerCase();
  if (press.ctrl) {
    if (letter === "z") return press.shift ? "redo" : "undo";
    return letter === "y" ? "redo" : null;
  }
  if (press.key === "Enter" && press.shift) return "confirmAll";
  if (!press.alt) {
    const chosen = store.attributes.findIndex(({ hotkey }) => hotkey === press.key);
    if (chosen >= 0) return `attribute:${store.attributes[chosen].id}`;
  }
  return COMMANDS.get(press.key) ?? null;
}
