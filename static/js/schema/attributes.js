// The rows of a record type. The rows of a list stand below its heading and take its name. Without this module the form shows
// fields for the order, checkboxes for removal, and a field for the list in each row.

import { all, around, maybe, one } from "../core/dom.js";

const HUES = 8; // tokens.css
const KEYS = "1234567890bcfghilmquvwyz"; // Without the letters of the workbench's own commands.
const ROW = "[data-row]";
const LIST_ROW = "[data-list-row]";

const form = one("[data-attributes]", HTMLFormElement);
const body = one("[data-rows]", HTMLElement, form);
const total = one("[name='attribute-TOTAL_FORMS']", HTMLInputElement, form);

/** A field of a row. @param {ParentNode} row @param {"id" | "name" | "hotkey" | "list" | "ORDER" | "DELETE"} name */
const field = (row, name) => one(`[name$='-${name}']`, HTMLInputElement, row);

/** The name of a list. @param {ParentNode} heading */
const listName = (heading) => one("[data-list-name]", HTMLInputElement, heading);

const shownRows = () => all(ROW, HTMLElement, body).filter((row) => !row.hidden);

const children = () => /** @type {HTMLElement[]} */ ([...body.children]);

/** Writes the order, the hue and the list of each row into its fields. */
function number() {
  let place = 0;
  /** @type {HTMLInputElement | null} */ let list = null;
  for (const row of children()) {
    if (row.matches(LIST_ROW)) {
      list = listName(row);
      list.required = false;
    } else if (!row.hidden) {
      row.dataset.hue = String(place % HUES);
      field(row, "ORDER").value = String(++place);
      field(row, "list").value = list?.value ?? "";
      if (list && field(row, "name").value) list.required = true;
    }
  }
}

/** A row of the table made from a template. @param {string} template @param {string} row selectors @param {(html: string) => string} [fill] */
function made(template, row, fill = (html) => html) {
  const holder = document.createElement("tbody");
  holder.innerHTML = fill(one(template, HTMLTemplateElement, form).innerHTML);
  return one(row, HTMLElement, holder);
}

/** @param {string} name */
function addHeading(name) {
  const heading = made("[data-empty-list]", LIST_ROW);
  listName(heading).value = name;
  body.append(heading);
  return heading;
}

function addList() {
  const heading = addHeading("");
  add();
  listName(heading).focus();
}

/** Puts the rows of each list below its heading, after the page's own rows. */
function group() {
  const rows = all(ROW, HTMLElement, body);
  const names = new Set(rows.map((row) => field(row, "list").value).filter(Boolean));
  for (const name of names) {
    addHeading(name);
    body.append(...rows.filter((row) => field(row, "list").value === name));
  }
}

/** A key that no row has. In the workbench, the first ten rows without a key of their own have their numbers. */
function freeKey() {
  const named = shownRows().filter((row) => field(row, "name").value);
  const taken = new Set([...shownRows().map((row) => field(row, "hotkey").value), ...named.slice(0, 10).map((row, at) => field(row, "hotkey").value || String((at + 1) % 10))]);
  return [...KEYS].find((key) => !taken.has(key)) ?? "";
}

/** Adds a row after another one, or at the end. @param {HTMLElement | null} [after] */
function add(after = null) {
  const index = total.value;
  const row = made("[data-empty]", ROW, (html) => html.replaceAll("__prefix__", index));
  if (after) after.after(row);
  else body.append(row);
  total.value = String(Number(index) + 1);
  field(row, "hotkey").value = freeKey();
  number();
  field(row, "name").focus();
}

/** @param {HTMLElement} row */
function remove(row) {
  const next = row.nextElementSibling ?? row.previousElementSibling;
  field(row, "DELETE").checked = true;
  row.hidden = true;
  number();
  if (next) maybe("[name$='-name']", HTMLInputElement, next)?.focus();
}

/** @param {HTMLElement} row @param {boolean} up */
function move(row, up) {
  const visible = children().filter((child) => !child.hidden);
  const other = visible[visible.indexOf(row) + (up ? -1 : 1)];
  if (!other) return;
  if (up) other.before(row);
  else other.after(row);
  number();
}

/** The last row below a heading, or the heading when there is none. Without a heading, the last of the page's own rows. @param {HTMLElement | null} heading */
function lastBelow(heading) {
  const rows = children();
  const from = heading ? rows.indexOf(heading) + 1 : 0;
  const end = rows.findIndex((row, at) => at >= from && row.matches(LIST_ROW));
  return rows.slice(from, end < 0 ? undefined : end).at(-1) ?? heading;
}

form.addEventListener("input", (event) => {
  if (around(event, "[data-list-name], [name$='-name']", HTMLInputElement)) number();
});

form.addEventListener("click", (event) => {
  const button = around(event, "button", HTMLButtonElement);
  if (!button || button.type !== "button") return;
  const row = around(event, ROW, HTMLElement);
  if (button.matches("[data-add]")) add(lastBelow(null));
  else if (button.matches("[data-add-list]")) addList();
  else if (button.matches("[data-add-column]")) add(lastBelow(around(event, LIST_ROW, HTMLElement)));
  else if (row && button.matches("[data-remove]")) remove(row);
  else if (row) move(row, button.matches("[data-up]"));
});

// Enter in a row goes on to the next one, and adds it when there is none. Ctrl+Enter saves.
form.addEventListener("keydown", (event) => {
  const row = event.key === "Enter" && around(event, "input", HTMLInputElement) ? around(event, ROW, HTMLElement) : null;
  if (!row) return;
  event.preventDefault();
  if (event.ctrlKey || event.metaKey) {
    form.requestSubmit();
    return;
  }
  const next = row.nextElementSibling;
  if (next?.matches(`${ROW}:not([hidden])`)) field(next, "name").focus();
  else add(row);
});

document.documentElement.classList.add("with-script");
group();
for (const row of all(ROW, HTMLElement, body)) if (field(row, "DELETE").checked) row.hidden = true;
if (!one("fieldset", HTMLFieldSetElement, form).disabled) {
  for (const row of shownRows()) {
    const fresh = !field(row, "id").value && !field(row, "name").value;
    if (fresh && !field(row, "hotkey").value) field(row, "hotkey").value = freeKey();
  }
}
number();
