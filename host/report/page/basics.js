"use strict";
// What all parts of the page share: the data, elements, numbers, colours, the tip. Text from the data only ever becomes
// text: it is set as textContent or as the value of an attribute that cannot hold a script.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);
const statistic = Object.fromEntries(data.statistics.map((name, place) => [name, place]));
data.runs.forEach((run, i) => {
  run.color = `--run-${i}`;
  run.byTag = new Map(run.tensors.map(tensor => [tensor.tag, tensor]));
  for (const tensor of run.tensors) tensor.byColumn = new Map(tensor.cells.map(cell => [cell[0], cell]));
});

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on"))
      element.addEventListener(name.slice(2), value);
    else if (name === "run")
      element.style.setProperty("--run", `var(${value.color})`);
    else
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return element;
}
const make = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
const colorOf = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Numbers that are not finite are strings in JSON.
const number = value => value === null || value === undefined ? null : Number(value);
const thousands = value => value.toLocaleString("en-US");
function short(value) {
  if (value === null) return "-";
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e6) return thousands(value);
  if (size >= 1e4 && size < 1e6) return thousands(Math.round(value));
  if (size >= 1e-3 && size < 1e4) return String(Number(value.toPrecision(3)));
  return value.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e");
}
function percent(share) {
  if (share === null) return "-";
  if (share === 0) return "0";
  const value = share * 100;
  return (value < 0.001                  ? value.toExponential(0)
          : value >= 99.995 && share < 1 ? "99.99"
                                         : Number(value.toPrecision(2)))
         + " %";
}
const isShare = name => name.endsWith("_share");
const valueText = (name, value) => isShare(name) ? percent(value) : short(value);
const typeText = tensor => tensor.shape.length || tensor.type ? `${tensor.type} [${tensor.shape.join(", ")}]` : "";
const plural = (count, noun) => `${thousands(count)} ${noun}${count === 1 ? "" : "s"}`;

// The smallest and the largest of any number of values.
const extent = values =>
  values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);

// Ticks of an axis: multiples of 1, 2 or 5 times a power of ten.
function ticks(low, high, most, least = 0) {
  if (!(high > low)) return [low];
  const raw = Math.max((high - low) / most, least), power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(each => each >= raw * 0.999999);
  const list = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i)
    list.push(Number((i * step).toPrecision(12)));
  return list;
}

function showTip(text, x, y) {
  const tip = byId("tip");
  tip.hidden = false;
  tip.textContent = text;
  const room = innerWidth - tip.offsetWidth - 12;
  tip.style.left = Math.max(8, Math.min(x + 14, room)) + "px";
  tip.style.top = (y + 18 + tip.offsetHeight > innerHeight ? Math.max(8, y - tip.offsetHeight - 12) : y + 18) + "px";
}
const hideTip = () => { byId("tip").hidden = true; };
const say = text => { byId("spoken").textContent = text; };

const runTitle = run => make("span", {class: "run", run}, make("span", {class: "dot"}), run.name);
const empty = (text, option) => make("p", {class: "empty"}, text, option && make("code", {}, option), option && ".");

// Called now, and again whenever sizes or colours have changed.
const drawings = [];
function redrawn(render) {
  drawings.push(render);
  return render;
}
const redraw = () => drawings.forEach(render => render());
