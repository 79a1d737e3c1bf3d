// A table of the tensors: who is in trouble.
function healthRows() {
  return data.runs.flatMap(run => run.tensors.map((tensor, order) => {
    const last = name => number(tensor.last[statistic[name]]);
    const findings = run.findings.filter(finding => finding.tensor === tensor.tag).map(finding => finding.check);
    return {
      run,
      tensor,
      order,
      tag: tensor.tag,
      kind: tensor.kind,
      type: typeText(tensor),
      samples: tensor.samples,
      bad: tensor.first_not_finite,
      largest: number(tensor.largest),
      norm: last("l2_norm"),
      zero: last("zero_share"),
      saturated: last("saturated_share"),
      findings
    };
  }));
}

function buildHealth() {
  const section = byId("health"), rows = healthRows();
  if (!rows.length) {
    section.append(make("div", {class: "card"},
                        empty("No tensor was recorded. A table of all of them, at every tenth update, comes with ",
                              "popscope train ... --tap '* @ every 10 -> shape'")));
    return;
  }
  const isTroubled = row => row.bad !== null || row.findings.length > 0 || row.saturated > 0;
  const columns = [
    ["tensor", "tag", "left"], ...(data.runs.length > 1 ? [["run", "run", "left"]] : []), ["not finite from", "bad"],
    ["findings", "findings", "left"], ["largest |x|", "largest"], ["last l2_norm", "norm"], ["zeros", "zero"],
    ["saturated", "saturated"], ["samples", "samples"], ["kind", "kind", "left"], ["type", "type", "left"]
  ];
  const state = {by: "order", down: false, text: "", only: false, most: 12};
  const more = make("button", {
    class: "link",
    type: "button",
    style: "margin-top: 10px",
    onclick: () => {
      state.most = Infinity;
      show();
    }
  });
  const head = make("tr"), body = make("tbody"), count = make("span", {class: "dim"});
  const cellOf = (row, key) => {
    if (key === "tag")
      return make("button",
                  {class: "link mono", type: "button", onclick: () => inspector.open(row.tag, worstColumn(row.tensor))},
                  row.tag);
    if (key === "run") return runTitle(row.run);
    if (key === "bad")
      return row.bad === null ? "-" : make("span", {class: "pill bad"}, `update ${thousands(row.bad)}`);
    if (key === "zero" || key === "saturated")
      return percent(key === "saturated" && row.saturated === null && row.norm !== null ? 0 : row[key]);
    if (key === "findings")
      return row.findings.length ? make("span", {class: "pill warn"}, row.findings.join(", ")) : "";
    return typeof row[key] === "string" ? row[key] : key === "samples" ? thousands(row.samples) : short(row[key]);
  };
  const orderOf = row => state.by === "run"        ? row.run.name
                         : state.by === "findings" ? row.findings.length
                                                   : row[state.by];
  const show = () => {
    const shown = rows.filter(row => row.tag.includes(state.text) && (!state.only || isTroubled(row)));
    const rank = value => value === null ? -Infinity : value;
    if (state.by === "order")
      shown.sort((a, b) => isTroubled(b) - isTroubled(a));
    else
      shown.sort((a, b) => {
        const [p, q] = [rank(orderOf(a)), rank(orderOf(b))];
        return (p < q ? -1 : p > q ? 1 : a.order - b.order) * (state.down ? -1 : 1);
      });
    body.replaceChildren(
      ...shown.slice(0, state.most)
        .map(row => make("tr", {}, columns.map(([, key, side]) => make("td", {class: side}, cellOf(row, key))))));
    count.textContent = `${shown.length} of ${plural(rows.length, "tapped tensor")}`;
    more.textContent = `Show all ${shown.length}`;
    more.hidden = shown.length <= state.most;
    head.replaceChildren(...columns.map(
      ([title, key, side]) => make(
        "th", {class: side, scope: "col", "aria-sort": state.by === key && (state.down ? "descending" : "ascending")},
        make("button", {
          type: "button",
          "data-key": key,
          onclick: () => {
            state.down = state.by === key ? !state.down : !side;
            state.by = key;
            show();
            head.querySelector(`[data-key="${key}"]`).focus();
          }
        },
             title))));
  };
  show();
  const change = (key, value) => {
    state[key] = value;
    show();
  };
  const search = make("input", {
    type: "search",
    placeholder: "Filter by name",
    "aria-label": "Filter tensors by name",
    oninput: event => change("text", event.target.value)
  });
  const only = make("input", {type: "checkbox", onchange: event => change("only", event.target.checked)});
  section.append(make("div", {class: "card"},
                      make("div", {class: "tools"}, search, make("label", {}, only, " only with problems"), count),
                      make("div", {class: "table", tabindex: 0, role: "region", "aria-label": "Health of the tensors"},
                           make("table", {}, make("thead", {}, head), body)),
                      more));
}
function worstColumn(tensor) {
  const bad = tensor.cells.find(cell => !isFiniteCell(cell));
  return (bad || tensor.cells[tensor.cells.length - 1])[0];
}
