// A checkbox in a table's head that selects all rows below it, and shows whether all, some or none are selected. The button that acts on
// the rows (`data-pick-count`, its verb) says how many there are, or how many all are that the search finds (`data-pick-whole`).

import { all, around, maybe } from "./dom.js";

/** @param {HTMLInputElement} head */
function boxes(head) {
  const table = head.closest("table");
  return table ? all(`tbody input[type="checkbox"][name="${CSS.escape(head.dataset.pickAll ?? "")}"]`, HTMLInputElement, table) : [];
}

/** @param {HTMLInputElement} head */
function show(head) {
  const rows = boxes(head);
  const chosen = rows.filter((box) => box.checked).length;
  head.checked = chosen > 0 && chosen === rows.length;
  head.indeterminate = chosen > 0 && chosen < rows.length;
  head.hidden = rows.length === 0; // The box does nothing without this module, so the template hides it.
}

/** Says on the button of the table's form how many pages it acts on. @param {HTMLInputElement} head */
function count(head) {
  const button = maybe("[data-pick-count]", HTMLElement, head.form ?? document);
  if (!button) return;
  const whole = maybe("[data-pick-whole]:checked", HTMLInputElement, head.form ?? document)?.dataset.pickWhole;
  const chosen = boxes(head).filter((box) => box.checked).length;
  const pages = whole ?? String(chosen);
  button.textContent = `${button.dataset.pickCount} ${pages} page${pages === "1" ? "" : "s"}`;
}

/** Connects the boxes in heads with those of their rows. */
export function watchPicks() {
  const showAll = () => { for (const head of all("[data-pick-all]", HTMLInputElement)) { show(head); count(head); } };
  showAll();
  document.addEventListener("list-replaced", showAll);
  document.addEventListener("change", (event) => {
    const changed = around(event, "[data-pick-all]", HTMLInputElement);
    if (changed) for (const box of boxes(changed)) box.checked = changed.checked;
    showAll();
  });
}

/** Selects or deselects the row that j and k moved to. @returns {boolean} whether that row has a checkbox */
export function pickRow() {
  const box = maybe("[data-item].at td > input[type=checkbox]", HTMLInputElement);
  box?.click();
  return Boolean(box);
}
