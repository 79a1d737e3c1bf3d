#include "host/commands/subcommands.hpp"
#include "host/plan/presets/preset_json.hpp"
#include "host/plan/training_plan.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>

namespace popscope::host {

namespace {

struct PresetsOptions {
  std::string show;
  bool json = false;
};

std::string countOr(const std::optional<std::size_t> &value,
                    const char *otherwise) {
  return value ? std::to_string(*value) : otherwise;
}

void printTable(std::ostream &out) {
  text::Table table(
      {"preset", "layers", "epochs", "batch", "optimizer", "what"});
  for (const std::string &name : presetNames()) {
    const Preset preset = presetNamed(name);
    table.add({name, std::to_string(preset.model.layers.size()),
               std::to_string(preset.epochs), countOr(preset.batchSize, "all"),
               optimizerName(preset.optimizer), preset.description});
  }
  if (text::layoutOfStdout() == text::Layout::aligned)
    table.print(out, text::Layout::aligned, text::sizeOfTerminal().columns);
  else
    table.print(out, text::Layout::headed);
}

int listPresets(const PresetsOptions &options, std::ostream &out) {
  const std::vector<std::string> names = presetNames();
  if (!options.show.empty()) {
    if (std::find(names.begin(), names.end(), options.show) == names.end())
      throw BadInput("--show " + options.show + ": there are " +
                     CLI::detail::join(names, ", "));
    out << presetJson(presetNamed(options.show)) << '\n';
  } else if (options.json) {
    for (const std::string &name : names)
      out << (name == names.front() ? "[" : ",\n ")
          << presetJson(presetNamed(name), " ");
    out << "]\n";
  } else {
    printTable(out);
  }
  return exitOk;
}

} // namespace

void addPresetsCommand(CLI::App &app, Command &chosen) {
  const auto options = std::make_shared<PresetsOptions>();
  CLI::App *command = app.add_subcommand(
      "presets", "List the trainings that have a name, or show one of them");
  command
      ->add_option(
          "--show", options->show,
          "Print this one as a model file, which popscope train --model "
          "takes: layers, loss, optimiser, settings, as JSON")
      ->type_name(CLI::detail::join(presetNames(), "|"));
  command->add_flag("--json", options->json, "Print all of them as JSON");
  command->footer(
      "Settings are the options of popscope train that change "
      "them.\n\n"
      "Examples:\n"
      "  popscope presets\n"
      "  popscope presets --show cnn > my.json; popscope train --model "
      "my.json");
  command->callback([options, &chosen] {
    chosen = [options] { return listPresets(*options, std::cout); };
  });
}

} // namespace popscope::host
