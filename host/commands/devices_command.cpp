#include "host/commands/subcommands.hpp"
#include "host/plan/options/device.hpp"
#include "text/json_object.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

namespace popscope::host {

namespace {

std::string json(const DeviceOffer &offer) {
  text::JsonObject object;
  object.string("device", offer.name);
  object.add("usable", offer.isUsable ? "true" : "false");
  object.string("what", offer.what);
  return object.text();
}

int listDevices(bool asJson, std::ostream &out) {
  const std::vector<DeviceOffer> offers = deviceOffers();
  if (asJson) {
    out << text::jsonArray(offers, json) << '\n';
    return exitOk;
  }
  text::Table table({"device", "usable", "what"});
  for (const DeviceOffer &offer : offers)
    table.add({offer.name, offer.isUsable ? "yes" : "no", offer.what});
  if (text::layoutOfStdout() == text::Layout::aligned)
    table.print(out, text::Layout::aligned, text::sizeOfTerminal().columns);
  else
    table.print(out, text::Layout::headed);
  return exitOk;
}

} // namespace

void addDevicesCommand(CLI::App &app, Command &chosen) {
  const auto asJson = std::make_shared<bool>(false);
  CLI::App *command = app.add_subcommand(
      "devices", "Say what --device can use here, and why not the rest");
  command->add_flag("--json", *asJson, "Print it as JSON");
  command->footer("Example:\n  popscope devices");
  command->callback([asJson, &chosen] {
    chosen = [asJson] { return listDevices(*asJson, std::cout); };
  });
}

} // namespace popscope::host
