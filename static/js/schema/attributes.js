// The rows of a record type; those of a list stand below its heading, whose name they carry. Without this module the form shows
// order numbers, boxes for removal and the name of each row's list instead.
const HUES = 8;
const form = document.querySelector("[data-attributes]");
const body = form.querySelector("[data-rows]");
const total = form.querySelector("[name='attribute-TOTAL_FORMS']");

document.documentElement.classList.add("with-script");

function rows() {
  return [...body.querySelectorAll("[data-row]")].filter((row) => !row.hidden);
}

function number() {
  let place = 0;
  let heading = null;
  for (const row of body.children) {
    if (row.matches("[data-list-row]")) {
      heading = row.querySelector("[data-list-name]");
      heading.required = false;
    } else if (!row.hidden) {
      row.dataset.hue = String(place % HUES);
      row.querySelector("[name$='-ORDER']").value = String(++place);
      row.querySelector("[name$='-list']").value = heading?.value ?? "";
      if (heading && row.querySelector("[name$='-name']").value) heading.required = true;
    }
  }
}

function heading(name) {
  const holder = document.createElement("tbody");
  holder.innerHTML = form.querySelector("[data-empty-list]").innerHTML;
  const made = holder.querySelector("[data-list-row]");
  made.querySelector("[data-list-name]").value = name;
  body.append(made);
  return made;
}

function addList() {
  const made = heading("");
  add();
  made.querySelector("[data-list-name]").focus();
}

/** Puts the rows of each list below its heading, the page's own before them. */
function group() {
  const all = [...body.querySelectorAll("[data-row]")];
  const names = [...new Set(all.map((row) => row.querySelector("[name$='-list']").value).filter(Boolean))];
  for (const name of names) {
    heading(name);
    body.append(...all.filter((row) => row.querySelector("[name$='-list']").value === name));
  }
}

function freeKey() {
  const taken = new Set(rows().map((row) => row.querySelector("[name$='-hotkey']").value));
  return [..."123456789abcdefghijklmnopqrstuvwxyz"].find((key) => !taken.has(key)) ?? "";
}

/** A new row at the end of a list, or of all. */
function add(after = null) {
  const index = Number(total.value);
  const html = form.querySelector("[data-empty]").innerHTML.replaceAll("__prefix__", String(index));
  const holder = document.createElement("tbody");
  holder.innerHTML = html;
  const row = holder.querySelector("[data-row]");
  if (after) after.after(row);
  else body.append(row);
  total.value = String(index + 1);
  row.querySelector("[name$='-hotkey']").value = freeKey();
  number();
  row.querySelector("[name$='-name']").focus();
}

function remove(row) {
  const next = row.nextElementSibling ?? row.previousElementSibling;
  row.querySelector("[name$='-DELETE']").checked = true;
  row.hidden = true;
  number();
  next?.querySelector("[name$='-name']")?.focus();
}

function move(row, up) {
  const visible = [...body.children].filter((each) => !each.hidden);
  const other = visible[visible.indexOf(row) + (up ? -1 : 1)];
  if (!other) return;
  if (up) other.before(row);
  else other.after(row);
  number();
}

/** The last row below a heading, the heading itself where there is none; of the page's own rows without one. */
function lastOf(head) {
  let last = head;
  for (let each = head ? head.nextElementSibling : body.firstElementChild; each && !each.matches("[data-list-row]"); each = each.nextElementSibling) last = each;
  return last;
}

form.addEventListener("input", (event) => { if (event.target.matches("[data-list-name], [name$='-name']")) number(); });

form.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button || button.type !== "button") return;
  const row = button.closest("[data-row]");
  if (button.matches("[data-add]")) add(lastOf(null));
  else if (button.matches("[data-add-list]")) addList();
  else if (button.matches("[data-add-column]")) add(lastOf(button.closest("[data-list-row]")));
  else if (button.matches("[data-remove]")) remove(row);
  else move(row, button.matches("[data-up]"));
});

// Enter in a row goes on to the next one, and makes it when there is none: Ctrl+Enter saves.
form.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches("[data-row] input")) return;
  event.preventDefault();
  if (event.ctrlKey || event.metaKey) { form.requestSubmit(); return; }
  const row = event.target.closest("[data-row]");
  const next = row.nextElementSibling;
  if (next?.matches("[data-row]:not([hidden])")) next.querySelector("[name$='-name']").focus();
  else add(row);
});

group();
body.querySelectorAll("[data-row]").forEach((row) => {
  if (row.querySelector("[name$='-DELETE']").checked) row.hidden = true;
});
if (!form.querySelector("fieldset").disabled) {
  rows().forEach((row) => {
    const key = row.querySelector("[name$='-hotkey']");
    const fresh = !row.querySelector("[name$='-id']").value && !row.querySelector("[name$='-name']").value;
    if (fresh && !key.value) key.value = freeKey();
  });
}
number();
