// The rows of a record type. Without this module the form shows its order numbers and boxes for removal instead.
const HUES = 8;
const form = document.querySelector("[data-attributes]");
const body = form.querySelector("[data-rows]");
const total = form.querySelector("[name='attribute-TOTAL_FORMS']");

document.documentElement.classList.add("with-script");

function rows() {
  return [...body.querySelectorAll("[data-row]")].filter((row) => !row.hidden);
}

function number() {
  rows().forEach((row, place) => {
    row.dataset.hue = String(place % HUES);
    row.querySelector("[name$='-ORDER']").value = String(place + 1);
  });
}

function freeKey() {
  const taken = new Set(rows().map((row) => row.querySelector("[name$='-hotkey']").value));
  return [..."123456789abcdefghijklmnopqrstuvwxyz"].find((key) => !taken.has(key)) ?? "";
}

function add() {
  const index = Number(total.value);
  const html = form.querySelector("[data-empty]").innerHTML.replaceAll("__prefix__", String(index));
  const holder = document.createElement("tbody");
  holder.innerHTML = html;
  const row = holder.querySelector("[data-row]");
  body.append(row);
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
  const visible = rows();
  const other = visible[visible.indexOf(row) + (up ? -1 : 1)];
  if (!other) return;
  if (up) other.before(row);
  else other.after(row);
  number();
}

form.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button || button.type !== "button") return;
  const row = button.closest("[data-row]");
  if (button.matches("[data-add]")) add();
  else if (button.matches("[data-remove]")) remove(row);
  else move(row, button.matches("[data-up]"));
});

// Enter in a row goes on to the next one, and makes it when there is none: Ctrl+Enter saves.
form.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches("[data-row] input")) return;
  event.preventDefault();
  if (event.ctrlKey || event.metaKey) { form.requestSubmit(); return; }
  const visible = rows();
  const next = visible[visible.indexOf(event.target.closest("[data-row]")) + 1];
  if (next) next.querySelector("[name$='-name']").focus();
  else add();
});

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
