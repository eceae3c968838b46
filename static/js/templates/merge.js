// Choosing templates to make one of them: says what will be merged into what before it is done.
const bar = document.querySelector("[data-merge]");

function show() {
  const chosen = [...document.querySelectorAll("[data-pick]:checked")];
  const button = bar.querySelector("[data-merge-button]");
  button.disabled = chosen.length < 2;
  bar.querySelector("[data-merge-text]").textContent = chosen.length < 2
    ? "Choose another template to merge with"
    : `${chosen.length} templates become “${chosen[0].dataset.pick}”. Annotations and rules are kept.`;
}

if (bar) {
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-pick]")) show();
  });
  bar.querySelector("[data-merge-clear]").addEventListener("click", () => {
    document.querySelectorAll("[data-pick]:checked").forEach((box) => { box.checked = false; });
    show();
  });
  show();
}
