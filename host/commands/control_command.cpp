#include "host/commands/subcommands.hpp"
#include "host/terminal/typed_options.hpp"
#include "outfeed/control/control_client.hpp"
#include "outfeed/control/control_message.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace popscope::host {

namespace {

struct ControlOptions {
  std::string run;
  outfeed::ControlRequest request;
  std::vector<std::string> zero, scale, noise; // SEL, and SEL=AMOUNT
  bool status = false;
  bool json = false;
};

std::string listed(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

// SEL=AMOUNT; the filter may have a = as well, the amount has none.
outfeed::ControlRequest::Intervening parseIntervening(InterventionKind kind,
                                                      const std::string &word) {
  const std::string option = std::string("--") + outfeed::nameOf(kind);
  if (kind == InterventionKind::zero)
    return {word, {kind, 0}};
  const std::size_t equals = word.rfind('=');
  const std::string number =
      equals == std::string::npos ? "" : word.substr(equals + 1);
  char *end = nullptr;
  const float amount = std::strtof(number.c_str(), &end);
  if (number.empty() || *end != '\0')
    throw BadInput(option + " '" + word +
                   "' has no number; write SEL=NUMBER, such as " + option +
                   " conv_1_acts=0.5");
  try {
    return {word.substr(0, equals),
            outfeed::parseChange(outfeed::nameOf(kind), double(amount))};
  } catch (const std::invalid_argument &error) {
    throw BadInput(option + " '" + word + "': " + withoutRoom(error.what()));
  }
}

outfeed::ControlRequest requestOf(const ControlOptions &options) {
  outfeed::ControlRequest request = options.request;
  const std::pair<InterventionKind, const std::vector<std::string> &> lists[] =
      {{InterventionKind::zero, options.zero},
       {InterventionKind::scale, options.scale},
       {InterventionKind::noise, options.noise}};
  for (const auto &[kind, words] : lists)
    for (const std::string &word : words)
      request.interventions.push_back(parseIntervening(kind, word));
  if (request.forUpdates && request.interventions.empty())
    throw BadInput("--for says for how many updates tensors are changed; name "
                   "them with --zero, --scale or --noise");
  return request;
}

void printInterventions(const outfeed::ControlReply &reply, std::ostream &out) {
  if (reply.interventions.empty())
    return;
  if (!reply.status.empty())
    out << '\n';
  text::Table table({"may be changed", "at", "is", "updates left"});
  for (const outfeed::InterventionStatus &status : reply.interventions)
    table.add({status.tensor, status.moment,
               status.change.empty() ? "left alone" : status.change,
               std::to_string(status.updatesLeft)});
  const text::Layout layout = text::layoutOfStdout();
  if (layout == text::Layout::aligned)
    table.print(out, layout, text::sizeOfTerminal().columns);
  else
    table.print(out, text::Layout::headed);
}

void printStatus(const outfeed::ControlReply &reply, std::ostream &out) {
  text::Table table({"tensor", "at", "tap", "schedule", "when", "payload",
                     "compiled in", "due"});
  for (const outfeed::ControlStatus &tap : reply.status)
    table.add({tap.tensor, tap.moment, tap.isOn ? "on" : "off", tap.schedule,
               tap.when, tap.payload, listed(tap.payloads),
               std::to_string(tap.sent)});
  if (text::layoutOfStdout() != text::Layout::aligned) {
    table.print(out, text::Layout::headed);
    return;
  }
  const std::size_t columns = text::sizeOfTerminal().columns;
  const bool anyWhen =
      std::any_of(reply.status.begin(), reply.status.end(),
                  [](const auto &tap) { return !tap.when.empty(); });
  if (!anyWhen)
    table.dropToFit(0, {"when"});
  table.dropToFit(columns, {"due", "compiled in", "at"});
  table.print(out, text::Layout::aligned, columns);
  const auto on = std::count_if(reply.status.begin(), reply.status.end(),
                                [](const auto &tap) { return tap.isOn; });
  out << '\n' << on << " of " << reply.status.size() << " on ";
  if (reply.update)
    out << "at update " << reply.update->value() << ".\n";
  else
    out << "before the first update.\n";
}

int control(const ControlOptions &options, std::ostream &out) {
  const outfeed::ControlRequest request = requestOf(options);
  const char *const qualifier = request.every     ? "--every"
                                : request.payload ? "--payload"
                                : request.when    ? "--when"
                                                  : nullptr;
  if (qualifier && request.enable.empty())
    throw BadInput(std::string(qualifier) +
                   " is for what is turned on; name it with --enable SEL");
  outfeed::ControlReply reply;
  try {
    reply = outfeed::sendControl(options.run, request);
  } catch (const outfeed::NoControl &error) {
    throw BadInput(withoutRoom(error.what()) +
                   "; name the directory of a training that is running, has "
                   "--tap rules or --allow-intervention, and no --no-control");
  }
  if (!reply.refusal.empty())
    throw BadInput(withoutRoom(reply.refusal));
  if (options.json) {
    out << outfeed::toJson(reply) << '\n';
    return exitOk;
  }
  for (const std::string &change : reply.changes)
    out << "update " << reply.update->value() << ": " << change << '\n';
  if (options.status || request.changesNothing()) {
    if (!reply.status.empty())
      printStatus(reply, out);
    printInterventions(reply, out);
  }
  return exitOk;
}

} // namespace

void addControlCommand(CLI::App &app, Command &chosen) {
  const auto options = std::make_shared<ControlOptions>();
  outfeed::ControlRequest &request = options->request;
  CLI::App *command = app.add_subcommand(
      "control", "Turn the taps of a running training on and off, and change "
                 "its tensors");
  command->add_option("run", options->run, "The directory of the run")
      ->required()
      ->type_name("RUN");
  addWords(*command, "--enable", request.enable, "SEL",
           "Tensors to send from the next update on; SEL is the filter of a "
           "rule");
  addWords(*command, "--disable", request.disable, "SEL",
           "Tensors not to send any more");
  addCount(*command, "--every", request.every,
           "What is enabled is due at every Nth update");
  addChoice<outfeed::Payload>(
      *command, "--payload", request.payload,
      {{"alarm", outfeed::Payload::alarm},
       {"stats", outfeed::Payload::stats},
       {"shape", outfeed::Payload::shape},
       {"identity", outfeed::Payload::identity},
       {"full", outfeed::Payload::full}},
      "What to send of what is enabled, if a rule compiled it in");
  command
      ->add_option("--when", request.when,
                   "What is enabled is sent where this holds: the condition "
                   "of a rule, with other limits")
      ->type_name("COND");
  addWords(*command, "--dump", request.dump, "SEL",
           "Tensors to write as .npy at one update, if a rule compiled the "
           "payload full in");
  command->add_flag("--once", request.everythingOnce,
                    "Send everything that is compiled in at one update, as "
                    "SIGUSR1 does");
  addWords(*command, "--zero", options->zero, "SEL",
           "Tensors to set to 0, if --allow-intervention named them when the "
           "training was started");
  addWords(*command, "--scale", options->scale, "SEL=FACTOR",
           "Tensors to multiply, likewise");
  addWords(*command, "--noise", options->noise, "SEL=DEVIATION",
           "Tensors to add noise to, of this standard deviation and mean 0, "
           "likewise; the same at the same update of every run with this seed");
  addCount(*command, "--for", request.forUpdates,
           "For how many updates they are changed (default: 1)");
  addWords(*command, "--cancel", request.cancel, "SEL",
           "Tensors not to change any more");
  command->add_flag("--status", options->status,
                    "List all taps and how they stand; also without any other "
                    "option");
  command->add_flag("--json", options->json, "Print the reply as JSON");
  command->footer(
      "Nothing is compiled anew: only what --tap named when the training was "
      "started\ncan be turned on, and only what --allow-intervention named can "
      "be changed. A\nrule with the schedule 'never' is off until then. A "
      "change holds from the next\nupdate on, whose number is printed.\n\n"
      "Examples:\n"
      "  popscope control logs/night --enable 'kind:gradient' --every 10\n"
      "  popscope control logs/night --disable '*'\n"
      "  popscope control logs/night --scale conv_1_acts=0.5 --for 100\n"
      "  popscope control logs/night --status\n"
      "of a training that was started by\n"
      "  popscope train --preset cnn --run night --tap '* @ never' \\\n"
      "    --allow-intervention 'kind:activation' &");
  command->callback([options, &chosen] {
    chosen = [options] { return control(*options, std::cout); };
  });
}

} // namespace popscope::host
