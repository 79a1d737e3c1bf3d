// Puts the parts together.
function chooseTheme() {
  const button = byId("theme"), themes = ["auto", "light", "dark"];
  let theme = "auto";
  try {
    theme = localStorage.getItem("popscope-theme") || "auto";
  } catch { /* a file may have no storage */
  }
  const apply = () => {
    if (theme === "auto")
      delete document.documentElement.dataset.theme;
    else
      document.documentElement.dataset.theme = theme;
    button.textContent = {auto: "\u25d0 auto", light: "\u25cb light", dark: "\u25cf dark"}[theme];
    button.setAttribute("aria-label", `Theme: ${theme}; press to change`);
  };
  apply();
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    try {
      localStorage.setItem("popscope-theme", theme);
    } catch { /* likewise */
    }
    apply();
    redraw();
  });
}

chooseTheme();
document.title = `${data.runs.map(run => run.name).join(", ")} - PopScope report`;
byId("verdict").append(make("div", {class: "grid"}, data.runs.map(verdictOf)));
buildCurves();
buildMaps();
buildHealth();
byId("cost").append(make("div", {class: "grid"}, data.runs.map(costOf)));
redrawn(() => inspector.render());
redraw();
let width = byId("main").clientWidth; // changes with the window, and with its scroll bar
new ResizeObserver(() => {
  if (byId("main").clientWidth === width) return;
  width = byId("main").clientWidth;
  redraw();
}).observe(byId("main"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
