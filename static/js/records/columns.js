// The columns of an export: rows move up and down, and the order of their boxes is the order in the file. What a line is, a page
// or a row of a list, decides which columns there are; those of the others are not sent.
for (const columns of document.querySelectorAll("[data-columns]")) {
  columns.addEventListener("click", (event) => {
    const button = event.target.closest("[data-up], [data-down]");
    if (!button) return;
    const row = button.closest("li");
    if (button.matches("[data-up]")) row.previousElementSibling?.before(row);
    else row.nextElementSibling?.after(row);
    button.focus();
  });
}

const lines = document.querySelector("[data-lines]");

function chooseLayout() {
  const wanted = lines.querySelector("input:checked")?.value ?? "";
  for (const layout of document.querySelectorAll("[data-layout]")) layout.hidden = layout.disabled = layout.dataset.layout !== wanted;
}

if (lines) {
  lines.addEventListener("change", chooseLayout);
  chooseLayout();
}
