// What watching has cost.
function costOf(run) {
  const card = make("div", {class: "card", run}, data.runs.length > 1 && runTitle(run)), cost = run.cost;
  if (!cost || !cost.rows) {
    card.append(empty("Not known: the training has not ended, nothing was watched, or an older version made it."));
    return card;
  }
  const most = Math.max(1, ...cost.rows.map(row => row.bytes || 0));
  const whole = value => value === null || value === undefined ? "-" : thousands(value);
  const meter = row =>
    make("span", {class: "track"},
         make("span", {class: "meter", style: `width: ${Math.round((row.bytes || 0) / most * 100)}%`}));
  const time = row => typeof row.time_share === "number"
                        ? `${percent(row.time_share)} \u00b1 ${percent(row.time_share_error || 0)}`
                        : "-";
  const line = row => make(
    "tr", {}, make("td", {class: "left wrap"}, row.rule ? [`${row.title}: `, make("code", {}, row.rule)] : row.title),
    make("td", {}, whole(row.tensors)), make("td", {}, whole(row.bytes), meter(row)),
    make("td", {}, whole(row.tile_bytes)), make("td", {}, whole(row.estimated_cycles)), make("td", {}, time(row)));
  const titles = ["tensors", "bytes to the host", "tile bytes", "cycles", "time"];
  const head = make("tr", {}, make("th", {class: "left"}, "what watches"), titles.map(title => make("th", {}, title)));
  const note = `${thousands(cost.bytes)} bytes came to the host, with all headers. Tile bytes and cycles, each time a `
               +
               `rule is due, are estimates. ${cost.timing || ""}`;
  card.append(
    make("div", {class: "table"}, make("table", {}, make("thead", {}, head), make("tbody", {}, cost.rows.map(line)))),
    make("p", {class: "small dim"}, note));
  if (cost.budget) card.append(make("p", {class: "small dim"}, cost.budget));
  return card;
}
