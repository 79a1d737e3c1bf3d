// One tensor at one update, in every run.
// A histogram is [top, counts, below, zeros, update, fates]; a fate has the bounds of the numbers of elements that
// would be saturated, subnormal and flushed to zero in a format.
function boundsText([least, most], all) {
  if (least === most) return percent(least / all);
  return least ? `${percent(least / all)} to ${percent(most / all)}` : `\u2264 ${percent(most / all)}`;
}

function formatTable(histogram, largest) {
  const [, counts, below, zeros, , fates] = histogram;
  const all = Math.max(1, counts.reduce((sum, count) => sum + count, below + zeros));
  const rows = data.formats.map((format, i) =>
                                  make("tr", {}, make("td", {class: "left"}, formatNames[format.name] || format.name),
                                       fates[i].map(bounds => make("td", {}, boundsText(bounds, all))),
                                       make("td", {}, largest ? Math.log2(format.largest / largest).toFixed(1) : "-")));
  return make("div", {class: "table"},
              make("table", {class: "fates"},
                   make("thead", {},
                        make("tr", {}, make("th", {class: "left"}, "as"),
                             ["saturated", "subnormal", "become 0", "octaves left"].map(text => make("th", {}, text)))),
                   make("tbody", {}, rows)));
}

function statisticsOf(tensor, cell) {
  const entries = [["layer", tensor.layer], ["stage", String(tensor.stage)]];
  data.statistics.forEach((name, place) => {
    const value = number(cell[2][place]);
    if (value !== null) entries.push([name, valueText(name, value)]);
  });
  return make("dl", {},
              entries.filter(([, value]) => value)
                .map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}

const inspector = {
  panel: byId("inspector"),
  opener: null,
  charts: [],
  isOpen() { return !this.panel.hidden; },
  open(tag, column, opener) {
    this.opener = opener ? opener.cells : document.activeElement;
    Object.assign(this, {tag, column});
    const known = data.runs.map(run => run.byTag.get(tag)).find(Boolean);
    this.charts = [];
    const step = (by, text) => make("button", {
      class: "step",
      type: "button",
      "aria-label": by < 0 ? "Earlier update" : "Later update",
      disabled: column + by < 0 || column + by >= data.columns.count,
      onclick: () => { this.step(by); }
    },
                                    text);
    this.panel.replaceChildren(
      make("div", {class: "head"},
           make("div", {}, make("h3", {}, tag),
                make("span", {class: "dim small"}, `${known.kind} ${typeText(known)}, ${columnText(column)}`)),
           make("div", {}, step(-1, "\u2190"), " ", step(1, "\u2192"), " ",
                make("button", {class: "close", type: "button", onclick: () => this.close()}, "Close"))),
      make("div", {class: "grid"}, data.runs.map(run => this.runPart(run))));
    this.panel.hidden = false;
    document.body.classList.add("inspecting");
    this.render();
    if (opener) opener.scrollAbove(this.panel.getBoundingClientRect().top);
    say(`Histogram of ${tag}, ${columnText(column)}`);
  },
  runPart(run) {
    const tensor = run.byTag.get(this.tag), cell = tensor && tensor.byColumn.get(this.column);
    const title = data.runs.length > 1 && runTitle(run);
    if (!cell)
      return make("div", {}, title,
                  empty(tensor ? "Not recorded at this update in this run." : "Not recorded in this run."));
    const update = (data.columns.updates_per_column > 1 || !isFiniteCell(cell))
                   && make("p", {class: "small dim"}, `update ${thousands(cell[1])} `,
                           !isFiniteCell(cell) && make("span", {class: "pill bad"}, badText(cell)));
    const histogram = cell[3], left = make("div", {class: "exponents"});
    if (histogram) {
      const chart = new ExponentChart(histogram, run);
      this.charts.push(chart);
      left.append(make("p", {class: "small dim"},
                       "Share of elements by exponent"
                         + (histogram[4] === cell[1]
                              ? ""
                              : `, of update ${thousands(histogram[4])}: the nearest that has a histogram`)),
                  chart.box);
    } else {
      left.append(
        empty("No histogram: this tensor was recorded as summary statistics only, which are shown here. " +
                "The payload shape records one: ",
              `--tap 'name:${tensor.name}${tensor.kind === "gradient" ? " & at:" + tensor.at : ""} -> shape'`));
    }
    return make("div", {}, title, update,
                make("div", {class: "inspected"}, left,
                     histogram && formatTable(histogram, number(cell[2][statistic.abs_max])),
                     statisticsOf(tensor, cell)));
  },
  render() {
    if (this.isOpen()) this.charts.forEach(chart => chart.render());
  },
  step(by) {
    const opener = this.opener;
    this.open(this.tag, this.column + by);
    this.opener = opener;
    this.panel.querySelectorAll(".step")[by < 0 ? 0 : 1].focus();
  },
  close() {
    this.panel.hidden = true;
    document.body.classList.remove("inspecting");
    document.querySelectorAll(".cursor").forEach(cursor => { cursor.hidden = true; });
    if (this.opener && this.opener.isConnected) this.opener.focus();
  }
};
addEventListener("keydown", event => {
  if (event.key === "Escape" && inspector.isOpen()) inspector.close();
});
