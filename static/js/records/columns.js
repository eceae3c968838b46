// The columns of an export. Rows move up and down, and their order is the order of the columns in the file. Whether a line of
// the file is a page or a row of a list decides which columns there are; the others are not sent. Nor are the options that the
// chosen format does not have.

import { all, around, maybe } from "../core/dom.js";

/** @param {HTMLElement} lines */
function chooseLayout(lines) {
  const wanted = maybe("input:checked", HTMLInputElement, lines)?.value ?? "";
  for (const layout of all("[data-layout]", HTMLFieldSetElement)) layout.hidden = layout.disabled = layout.dataset.layout !== wanted;
}

/** @param {HTMLSelectElement} format */
function chooseFormat(format) {
  for (const part of all("[data-formats]", HTMLFieldSetElement)) {
    part.hidden = part.disabled = !(part.dataset.formats ?? "").split(" ").includes(format.value);
  }
}

function attach() {
  for (const columns of all("[data-columns]", HTMLElement)) {
    columns.addEventListener("click", (event) => {
      const button = around(event, "[data-up], [data-down]", HTMLElement);
      const row = button?.closest("li");
      if (!button || !row) return;
      if (button.matches("[data-up]")) row.previousElementSibling?.before(row);
      else row.nextElementSibling?.after(row);
      button.focus();
      columns.dispatchEvent(new Event("change", { bubbles: true }));
    });
  }
  const lines = maybe("[data-lines]", HTMLElement);
  if (lines) {
    lines.addEventListener("change", () => chooseLayout(lines));
    chooseLayout(lines);
  }
  const format = maybe("[data-format]", HTMLSelectElement);
  if (format) {
    format.addEventListener("change", () => chooseFormat(format));
    chooseFormat(format);
  }
}

attach();
document.addEventListener("list-replaced", attach); // A search replaces the dialog, too.
