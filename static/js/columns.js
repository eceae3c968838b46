// The columns of an export: rows move up and down, and the order of their boxes is the order in the file.
document.querySelector("[data-columns]")?.addEventListener("click", (event) => {
  const button = event.target.closest("[data-up], [data-down]");
  if (!button) return;
  const row = button.closest("li");
  if (button.matches("[data-up]")) row.previousElementSibling?.before(row);
  else row.nextElementSibling?.after(row);
  button.focus();
});
