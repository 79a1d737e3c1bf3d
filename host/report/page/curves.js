// Loss and accuracy over updates, with alerts.
const alertColors = {
  "not finite": "--bad",
  check: "--warn",
  condition: "--warn",
  intervention: "--accent",
  control: "--dim"
};
const setNames = {
  "": "each update"
};
const dashes = {
  "": "",
  train: "",
  validation: "6 4",
  evaluation: "6 4",
  test: "2 4"
};

function curvesOf(metric) {
  return data.runs.flatMap(
    run =>
      run.curves.filter(curve => curve.metric === metric).map(curve => ({
                                                                run,
                                                                set: curve.set,
                                                                name: setNames[curve.set] ?? curve.set,
                                                                points: curve.points.map(([x, y]) => [x, number(y)])
                                                              })));
}

function lineStyle(curve) {
  return {
    stroke: `var(${curve.run.color})`,
    "stroke-dasharray": dashes[curve.set] ?? "3 3",
    fill: "none",
    "stroke-width": curve.set === "" ? 1.2 : 2,
    "stroke-opacity": curve.set === "" ? (curve.points.length > 500 ? 0.45 : 0.65) : 1,
    "stroke-linejoin": "round"
  };
}

function legendOf(curves) {
  return make("div", {class: "legend"},
              curves.map(curve => make("span", {},
                                       draw("svg", {width: 26, height: 10, "aria-hidden": true},
                                            draw("line", {x1: 0, x2: 26, y1: 5, y2: 5, ...lineStyle(curve)})),
                                       data.runs.length > 1 ? `${curve.run.name}, ${curve.name}` : curve.name)));
}

// One chart. Its own scale: logarithmic if the values span more than two decades.
class Chart {
  constructor(metric, curves, lastUpdate) {
    this.metric = metric;
    this.curves = curves;
    this.lastUpdate = lastUpdate;
    const values = curves.flatMap(curve => curve.points.map(point => point[1])).filter(Number.isFinite);
    [this.low, this.high] = values.length ? extent(values) : [0, 1];
    this.isLog = metric !== "accuracy" && this.low > 0 && this.high > 100 * this.low;
    if (metric === "accuracy")
      this.low = Math.min(this.low, 0), this.high = Math.max(this.high, 1);
    else if (!this.isLog)
      this.low = Math.min(this.low, 0);
    if (this.low === this.high) this.high += 1;
    this.at = null; // of the crosshair
    this.box = make("div", {
      class: "chart",
      tabindex: 0,
      role: "application",
      "aria-label": `${metric} over updates; left and right read values`,
      onpointermove: event => this.point(event.clientX, event.clientY),
      onpointerleave: () => this.leave(),
      onkeydown: event => this.key(event),
      onblur: () => this.leave()
    });
    this.updates = [...new Set(curves.flatMap(curve => curve.points.map(point => point[0])))].sort((a, b) => a - b);
  }
  x(update) { return this.left + update / Math.max(this.lastUpdate, 1) * (this.width - this.left - 10); }
  y(value) {
    const [low, high, at] = this.isLog ? [this.low, this.high, value].map(Math.log10) : [this.low, this.high, value];
    return this.bottom - (at - low) / (high - low) * (this.bottom - this.top);
  }
  render() {
    this.width = Math.max(this.box.clientWidth, 200);
    Object.assign(this, {left: 46, top: 24, bottom: 214});
    const svg = draw("svg", {viewBox: `0 0 ${this.width} 244`, height: 244, "aria-hidden": true});
    const values = this.isLog ? ticks(Math.ceil(Math.log10(this.low)), Math.floor(Math.log10(this.high)), 5, 1)
                                  .map(exponent => 10 ** exponent)
                              : ticks(this.low, this.high, 5);
    for (const value of values)
      svg.append(
        draw("line", {class: "gridline", x1: this.left, x2: this.width - 10, y1: this.y(value), y2: this.y(value)}),
        draw("text", {x: this.left - 8, y: this.y(value) + 4, "text-anchor": "end"}, short(value)));
    const every = ticks(0, this.lastUpdate, Math.max(2, Math.floor(this.width / 90)), 1);
    for (const update of every)
      svg.append(draw("text",
                      {x: this.x(update), y: this.bottom + 18, "text-anchor": update === 0 ? "start" : "middle"},
                      update === 0 ? "update 0" : thousands(update)));
    this.alerts(svg);
    for (const curve of this.curves) this.line(svg, curve);
    svg.append(this.cross = draw("line", {class: "axis", y1: this.top, y2: this.bottom, visibility: "hidden"}));
    this.box.replaceChildren(svg);
  }
  line(svg, curve) {
    let path = "", open = false;
    for (const [update, value] of curve.points) {
      if (!Number.isFinite(value)) {
        svg.append(draw(
          "text", {x: this.x(update), y: this.top + 12, "text-anchor": "middle", style: "fill: var(--bad)"}, "\u00d7"));
        open = false;
        continue;
      }
      path += `${open ? "L" : "M"}${this.x(update).toFixed(1)} ${this.y(value).toFixed(1)}`;
      open = true;
    }
    svg.append(draw("path", {d: path, ...lineStyle(curve)}));
    if (curve.points.length <= 40)
      for (const [update, value] of curve.points)
        if (Number.isFinite(value) && curve.set !== "")
          svg.append(draw("circle", {cx: this.x(update), cy: this.y(value), r: 3, fill: `var(${curve.run.color})`}));
  }
  // A flag for all alerts of a run at one update.
  alerts(svg) {
    for (const run of data.runs)
      for (const [update, alerts] of alertsByUpdate(run)) {
        const x = this.x(update), color = `var(${alertColors[alerts[0].kind] || "--dim"})`;
        const text = alertsText(run, update, alerts);
        svg.append(draw("line", {
                     x1: x,
                     x2: x,
                     y1: this.top - 8,
                     y2: this.bottom,
                     stroke: color,
                     "stroke-dasharray": "2 3",
                     "stroke-opacity": 0.7
                   }),
                   draw("path", {
                     class: "alertmark",
                     d: `M${x - 6} ${this.top - 20}h12l-6 11z`,
                     fill: color,
                     onpointermove: event => {
                       event.stopPropagation();
                       showTip(text, event.clientX, event.clientY);
                     },
                     onclick: () => inspectAlert(alerts.find(alert => alert.tensor) || alerts[0])
                   }));
      }
  }
  point(x, y) {
    const update =
      (x - this.box.getBoundingClientRect().left - this.left) / (this.width - this.left - 10) * this.lastUpdate;
    let nearest = null;
    for (const each of this.updates)
      if (nearest === null || Math.abs(each - update) < Math.abs(nearest - update)) nearest = each;
    if (nearest !== null) this.read(nearest, x, y);
  }
  read(update, x, y) {
    this.at = update;
    this.cross.setAttribute("x1", this.x(update));
    this.cross.setAttribute("x2", this.x(update));
    this.cross.setAttribute("visibility", "visible");
    const lines = this.curves.flatMap(
      curve =>
        curve.points.filter(point => point[0] === update)
          .map(point => `${data.runs.length > 1 ? curve.run.name + ", " : ""}${curve.name}: ${short(point[1])}`));
    const text = `${this.metric} after update ${thousands(update)}\n${lines.join("\n")}`;
    showTip(text, x, y);
    return text;
  }
  key(event) {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!step || !this.updates.length) return;
    event.preventDefault();
    const place = this.at === null
                    ? (step > 0 ? 0 : this.updates.length - 1)
                    : Math.max(0, Math.min(this.updates.length - 1, this.updates.indexOf(this.at) + step));
    const box = this.box.getBoundingClientRect();
    say(this.read(this.updates[place], box.left + this.x(this.updates[place]), box.top + 40));
  }
  leave() {
    hideTip();
    this.cross.setAttribute("visibility", "hidden");
  }
}

function alertsByUpdate(run) {
  const byUpdate = new Map();
  for (const alert of run.alerts) byUpdate.set(alert.update, [...(byUpdate.get(alert.update) || []), alert]);
  return byUpdate;
}
function alertsText(run, update, alerts) {
  const lines =
    alerts.slice(0, 4).map(alert => `${alert.kind}${alert.tensor ? " " + alert.tensor : ""}: ${alert.text}`);
  if (alerts.length > 4) lines.push(`and ${alerts.length - 4} more`);
  return `${data.runs.length > 1 ? run.name + ", " : ""}update ${thousands(update)}\n${lines.join("\n")}`;
}
function inspectAlert(alert) {
  const column = columnOf(alert.update);
  if (alert.tensor && data.runs.some(run => run.byTag.has(alert.tensor))) inspector.open(alert.tensor, column);
}

function alertList() {
  const all =
    data.runs.flatMap(run => run.alerts.map(alert => ({run, alert}))).sort((a, b) => a.alert.update - b.alert.update);
  if (!all.length) return make("p", {class: "small dim"}, "No alerts.");
  const line = ({run, alert}) => make(
    "li", {}, make("span", {class: "dim"}, `update ${alert.update}`),
    make("span", {},
         data.runs.length > 1 && make("span", {class: "dot", run, style: "display: inline-block; margin-right: 6px"}),
         make("span", {class: alert.kind === "not finite" ? "pill bad" : "pill warn"}, alert.kind), " ",
         alert.tensor
           && make("button", {class: "link mono", type: "button", onclick: () => inspectAlert(alert)}, alert.tensor),
         alert.tensor ? ": " : "", alert.text));
  const shown = all.slice(0, 200);
  return make("details", {open: all.length <= 4}, make("summary", {}, plural(all.length, "alert")),
              make("ul", {class: "plain alerts"}, shown.map(line)),
              all.length > shown.length && make("p", {class: "dim"}, `and ${all.length - shown.length} more`));
}

function buildCurves() {
  const section = byId("curves"), grid = make("div", {class: "grid"});
  const all = ["loss", "accuracy"].map(metric => [metric, curvesOf(metric)]);
  const columns = data.columns;
  const ends = all.flatMap(([, curves]) => curves.map(curve => curve.points[curve.points.length - 1][0]));
  const alerts = data.runs.flatMap(run => run.alerts.map(alert => alert.update));
  const lastUpdate =
    extent([1, columns.first + columns.count * columns.updates_per_column - 1].concat(ends, alerts))[1];
  for (const [metric, curves] of all) {
    const card = make("div", {class: "card"},
                      make("div", {class: "head"}, make("h3", {}, metric[0].toUpperCase() + metric.slice(1))));
    if (curves.length) {
      const chart = new Chart(metric, curves, lastUpdate);
      card.append(legendOf(curves), chart.box);
      redrawn(() => chart.render());
    } else {
      card.append(empty(`No epoch has ended, and ${metric} was not recorded at updates.`));
    }
    if (metric === "loss" && !curves.some(curve => curve.set === ""))
      card.append(make("p", {class: "small dim"}, "A point per epoch. The loss of every update is recorded by ",
                       make("code", {}, "--tap loss"), "."));
    grid.append(card);
  }
  section.append(grid,
                 make("div", {class: "card below", style: "margin-top: 16px"}, make("h3", {}, "Alerts"), alertList()));
}
