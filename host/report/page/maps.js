// Heat maps: tensors by updates.
const rowHeight = 22, mapTop = 10, mapBottom = 20, leastCell = 5, mostCell = 44;

const columnOf = update => Math.max(
  0, Math.min(data.columns.count - 1, Math.floor((update - data.columns.first) / data.columns.updates_per_column)));
function columnText(column) {
  const from = data.columns.first + column * data.columns.updates_per_column;
  return data.columns.updates_per_column === 1
           ? `update ${thousands(from)}`
           : `updates ${thousands(from)} to ${thousands(from + data.columns.updates_per_column - 1)}`;
}
const isFiniteCell = cell => ["nan", "pos_inf", "neg_inf"].every(name => !number(cell[2][statistic[name]]))
                             && cell[2].every(value => value === null || Number.isFinite(number(value)));
const badText = cell => ["nan", "pos_inf", "neg_inf"]
                          .filter(name => number(cell[2][statistic[name]]))
                          .map(name => `${thousands(number(cell[2][statistic[name]]))} ${
                                 {nan: "NaN", pos_inf: "+inf", neg_inf: "-inf"}[name]}`)
                          .join(", ")
                        || "not finite";

// The colours of one map, the same for all runs.
class Scale {
  constructor(name, values) {
    this.name = name;
    this.isLog = !isShare(name);
    const shown =
      values.filter(value => Number.isFinite(value) && !(this.isLog && value === 0)).map(value => this.place(value));
    [this.low, this.high] = this.isLog ? extent(shown) : [0, 1];
    if (!shown.length) this.low = this.high = 0;
  }
  place(value) { return this.isLog ? Math.log10(Math.abs(value)) : value; }
  value(place) { return this.isLog ? 10 ** place : place; }
  color(value) {
    const share = this.high > this.low ? (this.place(value) - this.low) / (this.high - this.low) : 0.5;
    return data.colors[Math.max(0, Math.min(data.colors.length - 1, Math.floor(share * data.colors.length)))];
  }
}

class RunMap {
  constructor(map, run, labels) {
    Object.assign(this, {map, run, labels});
    const tags = new Map((run.rows[map.id] || []).map(([label, place]) => [label, run.tensors[place]]));
    this.tensors = labels.map(label => tags.get(label));
    this.row = 0;
    this.column = 0;
    this.canvas = make("canvas");
    this.cursor = make("div", {class: "cursor", hidden: true});
    this.cells = make("div", {
      class: "cells",
      tabindex: 0,
      role: "application",
      "aria-label": `${map.title} of ${run.name}: tensors by updates; arrow keys move, Enter shows the histogram`,
      onpointermove: event => this.hover(event),
      onpointerleave: () => this.leave(),
      onclick: event => this.click(event),
      onkeydown: event => this.key(event),
      onfocus: () => this.cells.matches(":focus-visible") && this.goto(this.row, this.column),
      onblur: () => this.leave()
    },
                      this.canvas, this.cursor);
    this.names =
      make("div", {class: "names", "aria-hidden": true}, labels.map(label => make("div", {title: label}, label)));
    this.box = make("div", {class: "maprun"}, data.runs.length > 1 && runTitle(run),
                    make("div", {class: "mapbody"}, this.names, this.cells));
  }
  render(scale) {
    this.scale = scale;
    const columns = data.columns.count, room = this.cells.clientWidth;
    if (!room) return;
    this.cell = Math.min(mostCell, Math.max(leastCell, room / columns));
    const width = this.cell * columns, height = mapTop + this.labels.length * rowHeight + mapBottom,
          ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = width + "px";
    this.canvas.style.height = height + "px";
    const c = this.canvas.getContext("2d");
    c.scale(ratio, ratio);
    this.tensors.forEach((tensor, row) => {
      for (let column = 0; column < columns; ++column)
        this.paint(c, tensor && tensor.byColumn.get(column), row, column);
    });
    this.axis(c, width);
  }
  paint(c, cell, row, column) {
    const gap = this.cell >= 5 ? 1 : 0, x = column * this.cell, y = mapTop + row * rowHeight;
    const value = cell ? number(cell[2][statistic[this.scale.name]]) : null, bad = cell && !isFiniteCell(cell);
    c.fillStyle = bad                               ? colorOf("--bad")
                  : value === null                  ? colorOf("--none")
                  : value === 0 && this.scale.isLog ? colorOf("--zero")
                                                    : this.scale.color(value);
    c.fillRect(x, y + 0.5, this.cell - gap, rowHeight - 1);
    if (!bad || this.cell < 7) return;
    c.strokeStyle = colorOf("--card");
    c.lineWidth = 1.6;
    const middle = x + (this.cell - gap) / 2, center = y + rowHeight / 2, arm = Math.min(3.5, this.cell / 3);
    c.beginPath();
    for (const side of [-1, 1])
      c.moveTo(middle - arm, center - side * arm), c.lineTo(middle + arm, center + side * arm);
    c.stroke();
  }
  axis(c, width) {
    const columns = data.columns.count, per = data.columns.updates_per_column;
    for (const update of alertsByUpdate(this.run).keys()) {
      const x = (columnOf(update) + 0.5) * this.cell - 0.5;
      c.fillStyle = colorOf("--dim");
      c.beginPath();
      c.moveTo(x - 4, 1), c.lineTo(x + 4, 1), c.lineTo(x, 8);
      c.fill();
    }
    c.fillStyle = colorOf("--dim");
    c.font = "12px system-ui, sans-serif";
    c.textBaseline = "top";
    const y = mapTop + this.labels.length * rowHeight + 5;
    const last = thousands(data.columns.first + (columns - 1) * per);
    const every = Math.max(1, Math.ceil((c.measureText(last).width + 18) / this.cell));
    const nice = [1, 2, 5, 10, 20, 50, 100, 200].find(step => step >= every) || every;
    for (let column = 0; column < columns; column += nice) {
      const text =
        (column === 0 && this.cell * nice > 90 ? "update " : "") + thousands(data.columns.first + column * per);
      c.textAlign = column === 0 ? "left" : "center";
      const x = column === 0 ? 0 : (column + 0.5) * this.cell;
      if (x + c.measureText(text).width / 2 <= width + 1) c.fillText(text, x, y);
    }
  }
  textOf(row, column) {
    const tensor = this.tensors[row], cell = tensor && tensor.byColumn.get(column), name = this.scale.name;
    if (!cell) return `${this.labels[row]}, ${columnText(column)}\nnot recorded`;
    const value = number(cell[2][statistic[name]]);
    return `${tensor.tag}, update ${thousands(cell[1])}\n${isFiniteCell(cell) ? "" : badText(cell) + "; "}${name} ${
             valueText(name, value)}`
           + (data.columns.updates_per_column > 1 ? `\nthe largest of ${columnText(column)}` : "");
  }
  placeOf(event) {
    const box = this.canvas.getBoundingClientRect();
    const row = Math.floor((event.clientY - box.top - mapTop) / rowHeight),
          column = Math.floor((event.clientX - box.left) / this.cell);
    return row >= 0 && row < this.labels.length && column >= 0 && column < data.columns.count ? [row, column] : null;
  }
  mark(row, column) {
    Object.assign(this.cursor.style, {
      left: column * this.cell - 2 + "px",
      top: mapTop + row * rowHeight - 1 + "px",
      width: this.cell + 3 + "px",
      height: rowHeight + 2 + "px"
    });
    this.cursor.hidden = false;
  }
  hover(event) {
    const place = this.placeOf(event);
    if (!place) return hideTip();
    showTip(this.textOf(...place), event.clientX, event.clientY);
  }
  leave() {
    hideTip();
    if (!inspector.isOpen()) this.cursor.hidden = true;
  }
  goto(row, column) {
    [this.row, this.column] = [row, column];
    this.mark(row, column);
    const left = column * this.cell;
    if (left < this.cells.scrollLeft) this.cells.scrollLeft = left;
    if (left + this.cell > this.cells.scrollLeft + this.cells.clientWidth)
      this.cells.scrollLeft = left + this.cell - this.cells.clientWidth;
    const box = this.canvas.getBoundingClientRect(), text = this.textOf(row, column);
    showTip(text, box.left + left, box.top + mapTop + row * rowHeight + 6);
    say(text);
  }
  // So that the panel below does not hide the cell.
  scrollAbove(limit) {
    const over = this.cursor.getBoundingClientRect().bottom + 24 - limit;
    if (over > 0) scrollBy({top: over, behavior: "instant"});
  }
  open() {
    const tensor = this.tensors[this.row];
    hideTip();
    if (tensor)
      inspector.open(tensor.tag, this.column, this);
    else
      say("not recorded");
  }
  click(event) {
    const place = this.placeOf(event);
    if (!place) return;
    [this.row, this.column] = place;
    this.mark(...place);
    this.open();
  }
  key(event) {
    const last = data.columns.count - 1, rows = this.labels.length - 1;
    const moves = {
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      PageUp: [0, -10],
      PageDown: [0, 10],
      Home: [0, -last],
      End: [0, last]
    };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.open();
    } else if (moves[event.key]) {
      event.preventDefault();
      const [down, right] = moves[event.key];
      this.goto(Math.max(0, Math.min(rows, this.row + down)), Math.max(0, Math.min(last, this.column + right)));
      if (inspector.isOpen()) this.open();
    }
  }
}
