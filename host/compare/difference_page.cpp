#include "host/compare/difference_page.hpp"

#include "text/json_object.hpp"
#include "text/quoting.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace popscope::host {

using outfeed::RunDifference;
using outfeed::SampleDifference;
using outfeed::TensorDifference;

namespace {

constexpr char kBegin[] = R"html(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>popscope diff</title>
<style>
:root { color-scheme: light dark; --page: #fff; --ink: #1c2330; --dim: #5b6475; --line: #d9dde5; --same: #e9eef2;
  --mark: #0b57d0; }
@media (prefers-color-scheme: dark) { :root { --page: #14171c; --ink: #e6e9ef; --dim: #9aa3b2; --line: #343b47;
  --same: #262c35; --mark: #8ab4f8; } }
body { margin: 0 auto; padding: 16px; max-width: 1600px; background: var(--page); color: var(--ink);
  font: 14px/1.45 system-ui, sans-serif; }
h1 { font-size: 20px; margin: 0 0 8px; overflow-wrap: anywhere; }
p { margin: 4px 0; overflow-wrap: anywhere; }
.dim, figcaption { color: var(--dim); }
#map { position: relative; margin: 16px 0 8px; display: grid; grid-template-columns: minmax(130px, 22%) 1fr;
  column-gap: 8px; }
#names div { height: 18px; line-height: 18px; font-size: 12px; text-align: right; white-space: nowrap;
  overflow: hidden; text-overflow: ellipsis; direction: rtl; unicode-bidi: plaintext; }
#names .first { color: var(--mark); font-weight: 700; }
canvas { width: 100%; display: block; }
#tip { position: fixed; pointer-events: none; background: var(--page); border: 1px solid var(--dim); padding: 4px 8px;
  font-size: 12px; max-width: 90vw; display: none; overflow-wrap: anywhere; }
#key { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: center; font-size: 12px; color: var(--dim); }
#key span { display: inline-flex; align-items: center; gap: 6px; }
#key i { display: inline-block; width: 14px; height: 14px; border: 1px solid var(--line); }
#scale { width: 140px; height: 14px; }
.table { overflow-x: auto; margin-top: 16px; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 2px 10px; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:nth-child(-n+3), td:nth-child(-n+3) { text-align: left; }
th:first-child, td:first-child { padding-left: 0; }
</style>
<body>
<main>
<h1 id="verdict"></h1>
<p class="dim" id="runs"></p>
<label class="dim"><input type="checkbox" id="only"> only tensors that differ</label>
<figure id="map"><div id="names"></div><canvas id="cells"></canvas></figure>
<div id="key"><span><i style="background: var(--same)"></i>the same</span>
<span><i></i>not compared</span>
<span>relative L2: 1e-8 <canvas id="scale"></canvas> 1 and more</span>
<span><i style="outline: 2px solid var(--mark)"></i>first difference</span></div>
<div id="notes" class="dim"></div>
<div class="table"><table id="tensors"></table></div>
</main>
<div id="tip"></div>
<script>
const data = )html";

constexpr char kEnd[] = R"html(;
const levels = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const byId = id => document.getElementById(id);
const dark = matchMedia("(prefers-color-scheme: dark)");
const row = 18, top0 = 20;

function color(part) {
  const stops = dark.matches ? [[70, 52, 36], [168, 98, 44], [232, 96, 96], [255, 214, 236]]
                             : [[252, 228, 190], [244, 160, 90], [206, 62, 84], [88, 20, 80]];
  const at = Math.min(part, 0.9999) * (stops.length - 1), i = Math.floor(at);
  return "rgb(" + stops[i].map((c, k) => Math.round(c + (stops[i + 1][k] - c) * (at - i))).join() + ")";
}
const valueOf = level => Math.pow(10, level / data.perDecade + data.lowest);
const partOf = level => Math.max(0, Math.min(1, (level / data.perDecade + data.lowest + 8) / 8));
const style = name => getComputedStyle(document.documentElement).getPropertyValue(name);

function context(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.height = height + "px";
  const c = canvas.getContext("2d");
  c.scale(ratio, ratio);
  return c;
}

let shown = [], columns = 1;
function draw() {
  shown = data.tensors.filter(t => !byId("only").checked || t.first);
  columns = Math.max(1, ...data.tensors.map(t => t.cells.length));
  byId("names").style.paddingTop = top0 + "px";
  byId("names").replaceChildren(...shown.map(t => {
    const name = document.createElement("div");
    name.textContent = name.title = t.tag;
    name.className = t.isFirst ? "first" : "";
    return name;
  }));
  const canvas = byId("cells"), width = canvas.clientWidth, height = top0 + shown.length * row;
  const c = context(canvas, width, height), w = width / columns;
  c.fillStyle = style("--dim");
  c.font = "11px system-ui, sans-serif";
  const updates = columns * data.perCell;
  let step = data.perCell;
  for (const factor = [2, 2.5, 2]; step / updates * width < 60; factor.push(factor.shift()))
    step *= factor[0];
  for (let i = 0; i < updates - step / 2 || i == 0; i += step) {
    c.textAlign = i == 0 ? "left" : "center";
    c.fillText((i == 0 ? "update " : "") + (data.firstUpdate + i), i == 0 ? 0 : (i / data.perCell + 0.5) * w, 12);
  }
  shown.forEach((t, y) => {
    for (let x = 0; x < t.cells.length; ++x) {
      const cell = t.cells[x];
      if (cell == "-")
        continue;
      c.fillStyle = cell == "0" ? style("--same") : color(partOf(levels.indexOf(cell)));
      const left = Math.floor(x * w);
      c.fillRect(left, top0 + y * row + 1, Math.max(1, Math.floor((x + 1) * w) - left), row - 2);
    }
    if (!t.isFirst)
      return;
    const x = Math.floor((t.first.update - data.firstUpdate) / data.perCell);
    const size = Math.max(w, 10);
    c.strokeStyle = style("--mark");
    c.lineWidth = 2;
    c.strokeRect(Math.max(1, Math.min(width - size - 1, x * w + w / 2 - size / 2)), top0 + y * row, size, row);
  });
  const scale = byId("scale"), s = context(scale, 140, 14);
  for (let x = 0; x < 140; ++x) {
    s.fillStyle = color(x / 140);
    s.fillRect(x, 0, 1, 14);
  }
}

function tell(event) {
  const box = byId("cells").getBoundingClientRect(), tip = byId("tip");
  const tensor = shown[Math.floor((event.clientY - box.top - top0) / row)];
  const x = Math.floor((event.clientX - box.left) / box.width * columns);
  const cell = tensor && tensor.cells[x];
  tip.style.display = cell ? "block" : "none";
  if (!cell)
    return;
  const from = data.firstUpdate + x * data.perCell;
  tip.textContent = tensor.tag + ", update " + (data.perCell == 1 ? from : from + " to " + (from + data.perCell - 1)) +
    ": " + (cell == "-" ? "not compared" : cell == "0" ? "the same"
      : cell == "z" ? "relative L2 is infinite or very large"
      : cell == "A" ? "differs; relative L2 below 1e-10" : "relative L2 about " + valueOf(levels.indexOf(cell)).toExponential(0));
  tip.style.left = Math.max(4, Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8)) + "px";
  tip.style.top = Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 8) + "px";
}

byId("verdict").textContent = data.verdict;
byId("runs").textContent = "A: " + data.a + " \u2002 B: " + data.b;
byId("only").checked = data.tensors.some(t => t.first) && data.tensors.length > 100;
byId("notes").replaceChildren(...data.notes.map(note => {
  const line = document.createElement("p");
  line.textContent = note;
  return line;
}));
const table = byId("tensors");
function addRow(cells, kind) {
  const tr = table.insertRow();
  for (const cell of cells) {
    const td = document.createElement(kind);
    td.textContent = cell;
    tr.append(td);
  }
}
addRow(["tensor", "kind", "type", "first", "relative L2", "cosine", "largest", "at", "differs"], "th");
for (const t of data.tensors)
  addRow([t.tag, t.kind, t.type, ...(t.first ? [t.first.update, t.first.l2, t.first.cosine, t.largest.l2, t.largest.update]
    : ["-", "-", "-", "-", "-"]), t.differing + " of " + t.compared], "td");
byId("only").onchange = draw;
byId("cells").onpointermove = byId("cells").onpointerdown = tell;
byId("cells").onpointerleave = () => byId("tip").style.display = "none";
dark.onchange = draw;
onresize = draw;
draw();
</script>
</html>
)html";

// A level per quarter of a decade, from 1e-10 up: a letter each, the last one
// for everything above.
constexpr int kPerDecade = 4, kLowest = -10;
constexpr std::string_view kLevels =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

char levelOf(float relativeL2) {
  if (std::isinf(relativeL2))
    return kLevels.back();
  const double level =
      std::round((std::log10(double(relativeL2)) - kLowest) * kPerDecade);
  return kLevels[std::size_t(
      std::clamp(level, 0.0, double(kLevels.size() - 1)))];
}

std::string cellsOf(const TensorDifference &tensor) {
  std::string text;
  for (const float cell : tensor.cells)
    text += cell == outfeed::kNotCompared ? '-'
            : cell == 0                   ? '0'
                                          : levelOf(cell);
  return text;
}

std::string shownJson(const outfeed::DifferenceAt &at) {
  text::JsonObject object;
  object.count("update", at.update.value());
  object.string("l2", relativeText(at.difference));
  object.string("cosine", cosineText(at.difference));
  return object.text();
}

std::string jsonOf(const TensorDifference &tensor, bool isFirst) {
  text::JsonObject object;
  object.string("tag", tensor.a.tag);
  object.string("kind", tensor.a.kind);
  object.string("type", typeText(tensor.a));
  object.count("compared", tensor.compared);
  object.count("differing", tensor.differing);
  object.string("cells", cellsOf(tensor));
  if (isFirst)
    object.add("isFirst", "true");
  if (tensor.first) {
    object.add("first", shownJson(*tensor.first));
    object.add("largest", shownJson(*tensor.largest));
  }
  return "\n" + object.text();
}

} // namespace

void writeDifferencePage(std::ostream &out, const ComparedRuns &runs) {
  const RunDifference &difference = runs.difference;
  std::string tensors;
  for (std::size_t i = 0; i < difference.tensors.size(); ++i)
    tensors += (i == 0 ? "" : ",") +
               jsonOf(difference.tensors[i], difference.first == i);
  text::JsonObject data;
  data.string("verdict", verdictOf(runs));
  data.string("a", runs.a);
  data.string("b", runs.b);
  data.add("notes", text::jsonArray(notesOn(runs), text::jsonString));
  data.count("firstUpdate", difference.firstUpdate.value());
  data.count("perCell", difference.updatesPerCell);
  data.add("perDecade", std::to_string(kPerDecade));
  data.add("lowest", std::to_string(kLowest));
  data.add("tensors", "[" + tensors + "]");
  out << kBegin << text::forScript(data.text()) << kEnd;
}

} // namespace popscope::host
