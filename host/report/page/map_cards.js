// The cards of the heat maps: legend, statistic, a map for each run.
function legendOfScale(scale, maps) {
  const canvas = make("canvas", {class: "bar", width: data.colors.length, height: 1, "aria-hidden": true}),
        c = canvas.getContext("2d");
  data.colors.forEach((color, i) => {
    c.fillStyle = color;
    c.fillRect(i, 0, 1, 1);
  });
  const swatch = (color, text, mark) => make(
    "span", {}, make("i", {class: "swatch", style: `background: var(${color}); font-style: normal`}, mark || ""), text);
  const cells = maps.flatMap(each => each.tensors).filter(Boolean).flatMap(tensor => tensor.cells);
  const hasZero = scale.isLog && cells.some(cell => number(cell[2][statistic[scale.name]]) === 0);
  return make("div", {class: "legend"},
              make("span", {class: "scale"}, valueText(scale.name, scale.value(scale.low)), canvas,
                   valueText(scale.name, scale.value(scale.high)), scale.isLog ? " (logarithmic)" : ""),
              hasZero && swatch("--zero", "zero"),
              cells.some(cell => !isFiniteCell(cell)) && swatch("--bad", "not finite", "\u00d7"),
              swatch("--none", "not recorded"));
}

function buildMap(map) {
  const labels = [...new Set(data.runs.flatMap(run => (run.rows[map.id] || []).map(([label]) => label)))];
  if (!labels.length)
    return map.option
           && make("div", {class: "card map"}, make("h3", {}, map.title),
                   make("div", {style: "margin-top: 8px"},
                        empty("Nothing of this was recorded. It comes with ", `popscope train ... ${map.option}`)));
  const maps = data.runs.map(run => new RunMap(map, run, labels));
  const cells = maps.flatMap(each => each.tensors).filter(Boolean).flatMap(tensor => tensor.cells);
  const names = map.statistics.filter(name => cells.some(cell => cell[2][statistic[name]] !== null));
  const legend = make("div"), select = make("select", {"aria-label": `Statistic of ${map.title}`},
                                            names.map(name => make("option", {value: name}, name)));
  const render = () => {
    const name = names.length ? select.value : "abs_max";
    const scale = new Scale(
      name, cells.filter(isFiniteCell).map(cell => number(cell[2][statistic[name]])).filter(value => value !== null));
    legend.replaceChildren(legendOfScale(scale, maps));
    maps.forEach(each => each.render(scale));
  };
  select.addEventListener("change", render);
  redrawn(render);
  const missing = names.includes(map.statistics[0])
                    ? null
                    : make("p", {class: "small dim"}, `No ${map.statistics[0]} was recorded; `,
                           make("code", {}, map.option || "--tap '... -> stats'"), " records it.");
  return make(
    "div", {class: "card map", id: `map-${map.id}`},
    make("div", {class: "head"}, make("h3", {}, map.title), make("label", {class: "small dim"}, "colour: ", select)),
    legend, missing,
    make("div", {class: "grid", style: "margin-top: 8px"},
         maps.map(each => each.labels.length && each.tensors.some(Boolean)
                            ? each.box
                            : make("div", {}, runTitle(each.run),
                                   make("div", {style: "margin-top: 8px"},
                                        empty("Not recorded in this run. It comes with ", map.option || "--tap"))))));
}

function buildMaps() {
  const section = byId("maps");
  if (data.columns.count)
    section.append(
      make("p", {class: "dim small"},
           "Every cell is a tensor at an update; click it, or press Enter on it, for its exponents. "
             + (data.columns.updates_per_column > 1 && data.columns.count ? `A column has ${
                  data.columns.updates_per_column} updates and shows the one that is not finite, or else the largest. `
                                                                          : "")
             + "Triangles mark alerts."));
  section.append(...data.maps.map(buildMap).filter(Boolean));
}
