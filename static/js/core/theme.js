// Sets the chosen theme before the page is painted, so that it does not flash. This is a classic script because modules run later.
(() => {
  try {
    const theme = localStorage.getItem("vertex-theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // The browser may forbid storage. Then the system's setting applies.
  }
})();
