#include "host/events/diagnosis.hpp"
#include "host/events/subcommands.hpp"
#include "text/quoting.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

namespace popscope::host::events {

namespace {

struct DoctorOptions {
  LogSelection log;
  bool json = false;
};

void printJson(const Diagnosis &diagnosis) {
  std::cout << "{\"runs\": " << diagnosis.runs
            << ", \"tags\": " << diagnosis.tags << ", \"findings\": [";
  const char *separator = "";
  for (const Finding &finding : diagnosis.findings) {
    std::cout << separator << "{\"where\": " << text::jsonString(finding.where)
              << ", \"what\": " << text::jsonString(finding.what) << "}";
    separator = ",\n ";
  }
  std::cout << "]}\n";
}

int doctor(const DoctorOptions &options) {
  const Diagnosis diagnosis = diagnose(options.log);
  if (options.json)
    printJson(diagnosis);
  else
    for (const Finding &finding : diagnosis.findings)
      std::cout << text::oneLine(finding.where) << ": "
                << text::oneLine(finding.what) << '\n';
  if (!options.json && diagnosis.findings.empty())
    std::cout << options.log.where() << ": nothing wrong; TensorBoard shows "
              << diagnosis.runs
              << (diagnosis.runs == 1 ? " run with " : " runs with ")
              << diagnosis.tags << (diagnosis.tags == 1 ? " tag\n" : " tags\n");
  return diagnosis.findings.empty() ? exitOk : exitFailed;
}

} // namespace

void addDoctorCommand(CLI::App &events, Command &chosen) {
  const auto options = std::make_shared<DoctorOptions>();
  CLI::App *command = events.add_subcommand(
      "doctor", "Why TensorBoard shows nothing, or not everything; exit code 1 "
                "if there is a reason");
  addLogSelection(*command, options->log, Paths::several, Chooses::runs);
  command->add_flag("--json", options->json, "A JSON object");
  command->footer("Example:\n  popscope events doctor logs");
  command->callback(
      [options, &chosen] { chosen = [options] { return doctor(*options); }; });
}

} // namespace popscope::host::events
