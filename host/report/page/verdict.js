// The verdict on each run: what went bad first, what followed, what hid it; what checks found.
function statusOf(run) {
  const health = run.health || {}, bad = health.first_not_finite;
  if (bad) return ["bad", `not finite at update ${thousands(bad.update)}`];
  if (run.findings.length) return ["warn", plural(run.findings.length, "finding")];
  if (!health.watched) return ["none", "health was not watched"];
  return ["good", health.finished ? "healthy" : "healthy so far"];
}

function factsOf(run) {
  const s = run.settings, parts = [];
  if (s.model) parts.push(s.model);
  if (s.precision) parts.push(s.precision);
  if (s.optimizer) parts.push(`${s.optimizer}, rate ${s.learning_rate_schedule}`);
  if (s.batch_size)
    parts.push(`batch ${s.batch_size}` + (s.gradient_accumulation > 1 ? ` \u00d7 ${s.gradient_accumulation}` : "")
               + (s.replicas > 1 ? ` \u00d7 ${s.replicas} replicas` : ""));
  if (s.epochs) parts.push(plural(s.epochs, "epoch"));
  if (s.device) parts.push(s.device);
  return parts.join(" \u00b7 ");
}

const tensorChip = (name, isBad, note) => {
  const known = data.runs.some(run => run.byTag.has(name));
  return make(known ? "button" : "span", {
    class: isBad ? "chip bad" : "chip",
    type: known && "button",
    onclick: known && (() => inspector.open(name, columnOf(note || 0)))
  },
              name);
};

const elementsOf = bad => [["nan", "NaN"], ["pos_inf", "+inf"], ["neg_inf", "-inf"]]
                            .filter(([key]) => bad[key])
                            .map(([key, name]) => `${thousands(bad[key])} ${name}`)
                            .join(" and ");

function blameOf(bad) {
  const inputs =
    (bad.inputs || [])
      .map(input =>
             make("span", {class: input.nan || input.pos_inf || input.neg_inf ? "chip bad" : "chip"}, input.tensor,
                  input.abs_max !== undefined && make("small", {}, ` up to ${short(number(input.abs_max))}`)));
  const byUpdate = new Map();
  for (const follower of bad.followed || [])
    byUpdate.set(follower.update, [...(byUpdate.get(follower.update) || []), follower]);
  const followed = [...byUpdate].map(
    ([update, list]) =>
      make("div", {}, make("p", {class: "label"}, `then, at update ${thousands(update)}`),
           make("div", {class: "chips"}, list.map(follower => tensorChip(follower.tensor, true, update)))));
  const more = bad.more_followed ? make("p", {class: "small dim"}, `and ${thousands(bad.more_followed)} more`) : null;
  const hidden =
    (bad.hidden_by || [])
      .map(hider => make("li", {}, make("span", {class: "mono"}, hider.tensor),
                         ` made finite numbers of ${elementsOf(hider)} in `, make("span", {class: "mono"}, hider.input),
                         `, update ${thousands(hider.update)}`));
  const where = `update ${thousands(bad.update)}, micro-batch ${bad.micro_batch}, replica ${bad.replica}, ` +
                `stage ${bad.stage}: ${elementsOf(bad)} of ${thousands(bad.count)}`
                + (bad.first_bad ? `, first at [${bad.first_bad.join(", ")}]` : "");
  const later = followed.slice(1);
  return make(
    "div", {class: "blame"}, make("p", {class: "label", style: "margin-top: 0"}, "First bad tensor"),
    make("div", {class: "first"}, bad.tensor), make("p", {class: "small"}, where),
    make("p", {}, make("strong", {}, "Cause: "), bad.cause), titled("its inputs", inputs, "chips"), followed[0],
    later.length > 0
      && make("details", {}, make("summary", {}, `what followed later: ${plural(later.length, "more update")}`), later,
              more),
    later.length === 0 && more, titled("what hid it", hidden, "plain"));
}
const titled = (title, parts, list) =>
  parts.length > 0 && [make("p", {class: "label"}, title), make(list === "plain" ? "ul" : "div", {class: list}, parts)];

function findingsOf(run) {
  if (!run.findings.length) return null;
  const line = finding => {
    const inspect = () => inspectAlert({tensor: finding.tensor, update: finding.first_update});
    const until = finding.samples > 1 ? ` to ${thousands(finding.last_update)}` : "";
    return make("li", {}, make("span", {class: "pill warn"}, finding.check), " ",
                make("button", {class: "link mono", type: "button", onclick: inspect}, finding.tensor),
                `: ${finding.text}, from update ${thousands(finding.first_update)}${until}`);
  };
  const rest = run.findings.slice(3);
  const title = run.checked_while_training ? "Found by checks" : "Found by the default checks, made on the log";
  return make(
    "div", {}, make("p", {class: "label", style: "margin-top: 0"}, title),
    make("ul", {class: "plain"}, run.findings.slice(0, 3).map(line)),
    rest.length > 0
      && make("details", {}, make("summary", {}, `${rest.length} more`), make("ul", {class: "plain"}, rest.map(line))));
}

function verdictOf(run) {
  const [kind, text] = statusOf(run), health = run.health || {};
  const card = make("article", {class: "card", run},
                    make("div", {class: "head"}, runTitle(run), make("span", {class: `pill ${kind}`}, text)),
                    make("p", {class: "facts"}, factsOf(run)));
  const finite = `All elements of ${plural(health.tensors || 0, "tensor")} were finite at every update`;
  const verdict = health.first_not_finite ? blameOf(health.first_not_finite)
                  : health.watched        ? make("p", {}, finite + (health.finished ? "." : " so far."))
                                          : empty("Its health was not watched: the training had ", "--no-health");
  card.append(make("div", {class: "grid", style: "margin-top: 10px"}, verdict, findingsOf(run)));
  if (!run.findings.length && !run.checked_while_training && !run.tensors.length)
    card.append(
      empty("No checks were made, as no tensor was recorded. They come with ", "popscope train ... --checks default"));
  if (!run.findings.length && (run.checked_while_training || run.checked.length))
    card.append(make("p", {class: "small dim"},
                     "Checks found nothing" + (run.checked.length ? `: ${run.checked.join(", ")}.` : ".")));
  for (const note of run.notes)
    card.append(make("p", {class: "small"}, make("span", {class: "pill warn"}, "damaged"), " ", note));
  const s = run.settings, command = (s.command_line || []).join(" ");
  const made = `PopScope ${s.version || "?"}, Poplar ${s.engine || "?"}, seed ${s.seed}, in ${run.path}`;
  card.append(make("details", {}, make("summary", {}, "how it was made"), command && make("code", {}, command),
                   make("p", {class: "dim"}, made),
                   run.not_checked.length > 0
                     && make("ul", {class: "plain"},
                             run.not_checked.map(line => make("li", {class: "dim"}, `not checked: ${line}`)))));
  return card;
}
