#include "host/commands/subcommands.hpp"
#include "host/compare/compared_runs.hpp"
#include "host/compare/difference_listing.hpp"
#include "host/compare/difference_page.hpp"
#include "host/run/output_file.hpp"
#include "text/terminal.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

namespace popscope::host {

namespace {

enum DiffExitCode : int { exitSame = 0, exitDiffers = 1 };

constexpr std::size_t kRowsInTerminal = 20;

struct DiffOptions {
  std::string a, b;
  double tolerance = 0;
  bool listsAll = false;
  bool json = false;
  std::string html;
  bool force = false;
};

void writePage(const DiffOptions &options, const ComparedRuns &runs) {
  OutputFile file(options.html,
                  options.force ? IfExists::replace : IfExists::refuse, {});
  std::ofstream out = file.open();
  writeDifferencePage(out, runs);
  file.commit(out);
}

int diff(const DiffOptions &options, std::ostream &out) {
  if (!(options.tolerance >= 0))
    throw BadInput("--tolerance is a relative L2, 0 or more, such as 1e-3");
  if (!options.html.empty())
    requireWritable(options.html,
                    options.force ? IfExists::replace : IfExists::refuse, {});
  const ComparedRuns runs =
      compareRunsAt(options.a, options.b, options.tolerance);
  if (!options.html.empty())
    writePage(options, runs);
  ListingOptions listing;
  listing.listsAll = options.listsAll;
  if (text::layoutOfStdout() == text::Layout::aligned) {
    listing.terminalColumns = text::sizeOfTerminal().columns;
    listing.rows = kRowsInTerminal;
  } else {
    listing.layout = text::Layout::headed;
  }
  if (options.json)
    printJson(out, runs);
  else
    printListing(out, runs, listing);
  out.flush();
  if (!out)
    throw std::runtime_error("standard output cannot be written");
  return runs.isSame() ? exitSame : exitDiffers;
}

// 1 is a difference, so that no failure may have it.
int diffOrRefuse(const DiffOptions &options, std::ostream &out) {
  try {
    return diff(options, out);
  } catch (const std::exception &error) {
    throw BadInput(withoutRoom(error.what()));
  }
}

} // namespace

void addDiffCommand(CLI::App &app, Command &chosen) {
  const auto options = std::make_shared<DiffOptions>();
  CLI::App *command = app.add_subcommand(
      "diff", "Say whether two runs are the same, or which tensor differs "
              "first, and by how much");
  command->add_option("a", options->a, "The directory of a run")
      ->required()
      ->type_name("RUN");
  command->add_option("b", options->b, "The directory of another")
      ->required()
      ->type_name("RUN");
  command
      ->add_option("--tolerance", options->tolerance,
                   "Relative L2 up to which a tensor counts as the same "
                   "(default: every bit counts)")
      ->type_name("R");
  command->add_flag("--all", options->listsAll,
                    "List all tensors, also those that are the same");
  command->add_flag("--json", options->json, "Print it as JSON");
  command
      ->add_option("--html", options->html,
                   "Draw tensors and updates on a page for a browser")
      ->type_name("FILE");
  command->add_flag("--force", options->force,
                    "Overwrite the file of --html if it exists");
  command->footer(
      "Compared is what both runs tapped. The payload identity shows whether "
      "tensors\nare equal bit for bit, and estimates how far apart they are "
      "if not; others show\nsome differences, but cannot prove that there is "
      "none. Relative L2 is\n|A - B| / |A|.\n\n"
      "The exit code is 0 if the runs are the same as far as they can be "
      "compared, 1 if\nthey differ, 2 if they cannot be compared.\n\n"
      "Examples:\n"
      "  popscope train --preset cnn --run a --tap '* -> identity'\n"
      "  popscope train --preset cnn --run b --tap '* -> identity' "
      "--precision half\n"
      "  popscope diff logs/a logs/b --tolerance 0.01 --html diff.html");
  command->callback([options, &chosen] {
    chosen = [options] { return diffOrRefuse(*options, std::cout); };
  });
}

} // namespace popscope::host
