// The exponents of a tensor's elements, and the limits of number formats.
const formatNames = {
  f143: "fp8 F143",
  f152: "fp8 F152"
};

class ExponentChart {
  constructor(histogram, run) {
    Object.assign(this, {histogram, run});
    this.box = make("div", {class: "chart", onpointermove: event => this.point(event), onpointerleave: hideTip});
  }
  render() {
    const [top, counts, below, zeros] = this.histogram, width = Math.max(260, this.box.clientWidth);
    const all = counts.reduce((sum, count) => sum + count, below + zeros);
    const lowest = top - counts.length + 1;
    this.low = Math.min(-26, counts.length ? lowest - (below ? 2 : 1) : 0);
    this.high = Math.max(18, top + 2);
    const left = 76, zeroWidth = 26, plot = left + zeroWidth + 6, right = width - 8;
    const bottom = 132, floor = Math.log10(0.5 / Math.max(all, 2));
    const x = exponent => plot + (exponent - this.low) / (this.high - this.low) * (right - plot);
    const y = count => count ? bottom - (1 - Math.log10(count / all) / floor) * (bottom - 14) : bottom;
    this.x = x;
    const ruler = 18, rulers = bottom + 34, height = rulers + data.formats.length * ruler + 4;
    const svg = draw("svg", {
      viewBox: `0 0 ${width} ${height}`,
      height,
      role: "img",
      "aria-label": `Shares of elements by exponent, from 2^${lowest} to 2^${top}`
    });
    for (const share of [1, 1e-2, 1e-4, 1e-6])
      if (Math.log10(share) > floor)
        svg.append(draw("line", {class: "gridline", x1: left, x2: right, y1: y(share * all), y2: y(share * all)}),
                   draw("text", {x: left - 8, y: y(share * all) + 4, "text-anchor": "end"},
                        `${Number((share * 100).toPrecision(1))} %`));
    const bar = (from, to, count, attributes) => svg.append(draw("rect", {
      x: from,
      width: Math.max(1, to - from - 1),
      y: y(count),
      height: bottom - y(count),
      class: "bar-of-elements",
      fill: `var(${this.run.color})`,
      rx: 1,
      ...attributes
    }));
    if (zeros) bar(left + 2, left + zeroWidth, zeros, {"fill-opacity": 0.45});
    if (below) bar(x(lowest - 1), x(lowest), below, {"fill-opacity": 0.45});
    counts.forEach((count, i) => count && bar(x(top - i), x(top - i + 1), count, {}));
    svg.append(draw("line", {class: "axis", x1: left, x2: right, y1: bottom, y2: bottom}),
               draw("text", {x: left + zeroWidth / 2, y: bottom + 16, "text-anchor": "middle"}, "0"));
    const every = ticks(this.low, this.high, Math.max(3, Math.floor((right - plot) / 58)), 1).filter(Number.isInteger);
    for (const exponent of every)
      svg.append(draw("text", {x: x(exponent), y: bottom + 16, "text-anchor": "middle"}, "2",
                      draw("tspan", {dy: -5, "font-size": 9}, exponent)));
    data.formats.forEach((format, i) => this.ruler(svg, format, rulers + i * ruler, {left, plot, right, bottom}));
    this.box.replaceChildren(svg);
  }
  // The numbers of a format: normal ones as a bar, subnormal ones as a thinner one, limits as lines up through the
  // bars.
  ruler(svg, format, y, {left, plot, right, bottom}) {
    const inside = value => Math.max(plot, Math.min(right, this.x(Math.log2(value))));
    const [smallest, normal, largest] = [format.smallest, format.smallest_normal, format.largest].map(inside);
    svg.append(
      draw("g", {class: "format-limits"},
           draw("text", {x: left - 8, y: y + 9, "text-anchor": "end"}, formatNames[format.name] || format.name),
           draw("rect", {
             x: smallest,
             y: y + 3,
             width: Math.max(0, normal - smallest),
             height: 4,
             fill: "var(--dim)",
             "fill-opacity": 0.4
           }),
           draw("rect", {
             x: normal,
             y,
             width: Math.max(0, largest - normal),
             height: 10,
             rx: 2,
             fill: "var(--dim)",
             "fill-opacity": 0.75
           }),
           [format.smallest_normal, format.largest]
             .map(value => [value, inside(value)])
             .filter(([, at]) => at > plot && at < right)
             .map(([, at]) => draw("line", {
                    x1: at,
                    x2: at,
                    y1: 10,
                    y2: y,
                    stroke: "var(--dim)",
                    "stroke-dasharray": "2 3",
                    "stroke-opacity": 0.45
                  }))));
    for (const [edge, isBeyond, sign] of [[plot, this.x(Math.log2(format.smallest)) < plot, "\u2039"],
                                          [right, this.x(Math.log2(format.largest)) > right, "\u203a"]])
      if (isBeyond)
        svg.append(draw("text",
                        {x: edge, y: y + 9, "text-anchor": edge === plot ? "start" : "end", style: "fill: var(--card)"},
                        sign));
  }
  point(event) {
    const [top, counts, below, zeros] = this.histogram, all = counts.reduce((sum, count) => sum + count, below + zeros);
    const at = event.clientX - this.box.getBoundingClientRect().left, lowest = top - counts.length + 1;
    const exponent =
      Math.floor(this.low + (at - this.x(this.low)) / (this.x(this.high) - this.x(this.low)) * (this.high - this.low));
    const count = at < this.x(this.low) ? zeros : exponent === lowest - 1 ? below : counts[top - exponent] || 0;
    const what = at < this.x(this.low)              ? "zero"
                 : exponent === lowest - 1 && below ? `below 2^${lowest}, not zero`
                                                    : `2^${exponent} \u2264 |x| < 2^${exponent + 1}`;
    showTip(`${what}\n${thousands(count)} of ${thousands(all)} elements, ${percent(all ? count / all : 0)}`,
            event.clientX, event.clientY);
  }
}
