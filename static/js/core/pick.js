// A box in a table's head that chooses all rows below it, and shows whether all, some or none are chosen.

/** @param {HTMLInputElement} all */
function boxes(all) {
  return [...all.closest("table").querySelectorAll(`tbody input[type="checkbox"][name="${CSS.escape(all.dataset.pickAll)}"]`)];
}

/** @param {HTMLInputElement} all */
function show(all) {
  const rows = boxes(all);
  const chosen = rows.filter((box) => box.checked).length;
  all.checked = chosen > 0 && chosen === rows.length;
  all.indeterminate = chosen > 0 && chosen < rows.length;
  all.hidden = rows.length === 0; // without this module it would do nothing, so it is hidden until here
}

/** The boxes in heads and what they do; `x` chooses the row that j and k moved to. */
export function watchPicks() {
  const heads = [...document.querySelectorAll("[data-pick-all]")];
  for (const all of heads) show(all);
  document.addEventListener("change", (event) => {
    if (event.target.matches?.("[data-pick-all]")) for (const box of boxes(event.target)) box.checked = event.target.checked;
    for (const all of heads) show(all);
  });
}

/** Chooses the row that stands out, or lets go of it; false where rows cannot be chosen. */
export function pickRow() {
  const box = document.querySelector("[data-item].at td > input[type=checkbox]");
  box?.click();
  return Boolean(box);
}
