#include "host/commands/subcommands.hpp"
#include "host/events/writing/output_options.hpp"
#include "host/report/report_page.hpp"
#include "host/report/reported_run.hpp"
#include "host/run/output_file.hpp"
#include "host/terminal/problem.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace popscope::host {

namespace {

struct ReportOptions {
  std::vector<std::string> runs;
  events::OutputOptions page;
};

// The page has so many colours for runs.
constexpr std::size_t kMostRuns = 8;

int report(const ReportOptions &options, std::ostream &out) {
  if (options.runs.size() > kMostRuns)
    throw BadInput("a page shows at most " + std::to_string(kMostRuns) +
                   " runs; name fewer of them");
  OutputFile file(options.page.path, options.page.ifExists, {});
  const Report collected = collectReport(options.runs);
  std::ofstream page = file.open();
  writeReportPage(page, collected);
  file.commit(page);
  for (const ReportedRun &run : collected.runs)
    for (const std::string &note : run.notes)
      printProblem(note);
  out << "wrote " << options.page.path.string() << "; open it in a browser\n";
  return exitOk;
}

} // namespace

void addReportCommand(CLI::App &app, Command &chosen) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App *command = app.add_subcommand(
      "report", "Show one run or several on a page for a browser");
  command->add_option("run", options->runs, "The directories of runs")
      ->required()
      ->type_name("RUN");
  events::addOutput(*command, options->page,
                    "The page: one file that needs no other and no network")
      ->required();
  command->footer(
      "The page has curves of loss and accuracy with alerts, heat maps of "
      "tensors by\nupdates, the health of the tensors, what went bad first, "
      "and the cost of\nwatching. What was not recorded is missing; the page "
      "says which option records\nit. Runs may be finished or still going "
      "on; several are shown side by side.\n\n"
      "Examples:\n"
      "  popscope train --preset cnn --run a --tap '* @ every 10 -> shape'\n"
      "  popscope report logs/a -o report.html\n"
      "  popscope report logs/a logs/b -o report.html --force");
  command->callback([options, &chosen] {
    chosen = [options] { return report(*options, std::cout); };
  });
}

} // namespace popscope::host
