// Runs before the page is painted, so that a chosen theme does not flash. A classic script: modules run too late.
(() => {
  try {
    const theme = localStorage.getItem("vertex-theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be forbidden; then the system's wish holds.
  }
})();
