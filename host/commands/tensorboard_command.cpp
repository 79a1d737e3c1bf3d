#include "host/commands/subcommands.hpp"
#include "host/events/reading/kept_points.hpp"
#include "host/run/newest_run.hpp"
#include "host/terminal/child_process.hpp"
#include "summary/records/event_files.hpp"
#include "text/quoting.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <pwd.h>
#include <regex>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace popscope::host {

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

struct TensorboardOptions {
  fs::path log;
  std::string program;
  bool which = false;
  Words passed; // to TensorBoard

  bool passes(const std::string &name) const {
    return std::any_of(passed.begin(), passed.end(),
                       [&](const std::string &word) {
                         return word == name || word.rfind(name + "=", 0) == 0;
                       });
  }
};

// TensorBoard's words before its options. Throws BadInput if there is none.
Words findTensorboard(const std::string &program) {
  if (!program.empty()) {
    const auto path = findProgram(program);
    if (!path)
      throw BadInput("--program " + program +
                     ": not a program that can be executed");
    return {*path};
  }
  if (const auto path = findProgram("tensorboard"))
    return {*path};
  const char *const isThere = "import importlib.util as u, sys; sys.exit(not "
                              "u.find_spec('tensorboard'))";
  const auto python = findProgram("python3");
  if (python && runQuietly({*python, "-c", isThere}) == 0)
    return {*python, "-m", "tensorboard.main"};
  throw BadInput("TensorBoard is neither in PATH nor in python3; get it with "
                 "python3 -m pip install tensorboard 'setuptools<81', or name "
                 "it with --program");
}

// The directory to show, and why. Throws BadInput if there is none.
struct ChosenLog {
  fs::path path;
  std::string why;
};

ChosenLog chooseLog(const fs::path &given) {
  std::error_code error;
  if (!given.empty()) {
    if (!fs::exists(given, error))
      throw BadInput(given.string() + ": no such directory; give the one that "
                                      "popscope train has written to");
    if (!fs::is_directory(given, error))
      throw BadInput(given.string() +
                     ": a file; TensorBoard opens the directory it is in");
    return {given, ""};
  }
  const fs::path logs = "logs"; // where popscope train writes
  if (!fs::is_directory(logs, error))
    throw BadInput("no directory 'logs' here; name a log: popscope "
                   "tensorboard DIR");
  const auto newest = [&] {
    try {
      return newestRun(logs);
    } catch (const std::system_error &failure) {
      throw BadInput("logs: " + failure.code().message());
    }
  }();
  if (!newest)
    return {logs, ""};
  return {newest->path, newest->runs == 1
                            ? ""
                            : ", the newest of " +
                                  std::to_string(newest->runs) +
                                  " runs; popscope tensorboard logs shows all"};
}

bool hasDebuggerFiles(const fs::path &directory) {
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("tfdbg_events.", 0) == 0 &&
        entry.path().extension() == ".metadata")
      return true;
  }
  return false;
}

// Says what TensorBoard would hide, and has it show that.
void keepEveryPoint(const TensorboardOptions &options, const fs::path &log,
                    Words &command) {
  const auto longest = events::longestSeries(log);
  const Words hidden = events::hiddenPoints(longest);
  const std::string samples = events::samplesToKeep(longest);
  if (longest.empty())
    std::cout << "No points yet; TensorBoard looks for new ones every few "
                 "seconds\n";
  const bool isTheirs = options.passes("--samples_per_plugin");
  if (!isTheirs) {
    command.insert(command.end(), {"--samples_per_plugin", samples});
    if (!hidden.empty())
      std::cout << "Every point is shown; TensorBoard by itself would hide "
                   "some:\n";
  } else if (!hidden.empty()) {
    std::cout << "Without --samples_per_plugin " << samples
              << "\nTensorBoard may hide points; by itself\n";
  }
  for (const std::string &sentence : hidden)
    std::cout << "  " << sentence << '\n';
}

void sayWhoCanRead(const TensorboardOptions &options, Words &command) {
  if (options.passes("--bind_all")) {
    std::cout << "Listening on all network interfaces: whoever reaches this "
                 "machine can read the log\n";
  } else if (options.passes("--host")) {
    std::cout << "Listening on the host that is given\n";
  } else {
    std::cout << "Listening on localhost only; --bind_all opens it to the "
                 "network\n";
    command.insert(command.end(), {"--host", "localhost"});
  }
}

std::string userName() {
  const passwd *const user = ::getpwuid(::geteuid());
  return user ? user->pw_name : "USER";
}

// After the line in which TensorBoard names its port.
void sayTunnel(const std::string &line) {
  static const std::regex address(
      "^TensorBoard .* at https?://(localhost|127\\.0\\.0\\.1):([0-9]+)/.*");
  std::smatch found;
  if (!std::regex_match(line, found, address))
    return;
  const std::string port = found[2];
  std::cout << "From another machine: ssh -N -L " << port
            << ":localhost:" << port << " " << userName() << "@"
            << summary::hostName() << "\nthen http://localhost:" << port
            << "/\n"
            << std::flush;
}

int openTensorboard(const TensorboardOptions &options) {
  const bool namesLog =
      options.passes("--logdir") || options.passes("--logdir_spec");
  if (namesLog && !options.log.empty())
    throw BadInput(options.log.string() +
                   " and --logdir: give the log only once");
  std::optional<ChosenLog> log;
  if (!namesLog)
    log = chooseLog(options.log);
  if (options.which) {
    if (log)
      std::cout << log->path.string() << '\n';
    return exitOk;
  }
  Words command = findTensorboard(options.program);
  if (log) {
    std::cout << "Opening " << text::oneLine(log->path.string()) << log->why
              << '\n';
    command.insert(command.end(), {"--logdir", log->path.string()});
    keepEveryPoint(options, log->path, command);
    if (hasDebuggerFiles(log->path))
      std::cout << "The page Debugger V2 is in the list of inactive pages; it "
                   "needs TensorFlow\ninstalled beside TensorBoard\n";
  }
  sayWhoCanRead(options, command);
  command.insert(command.end(), options.passed.begin(), options.passed.end());
  return runChild(command, sayTunnel);
}

} // namespace

void addTensorboardCommand(CLI::App &app, Command &chosen) {
  const auto options = std::make_shared<TensorboardOptions>();
  CLI::App *command = app.add_subcommand(
      "tensorboard", "Open TensorBoard on a log, with every point of it");
  // For the help only: CLI11 would take the 0 of --port 0 for it.
  command
      ->add_option("DIR", options->log,
                   "The run or directory of runs; by default the newest run "
                   "in logs")
      ->type_name("")
      ->expected(0);
  command
      ->add_option("--program", options->program,
                   "TensorBoard; by default tensorboard in PATH, else that of "
                   "python3")
      ->type_name("FILE");
  command->add_flag("--which", options->which,
                    "Only print the directory that would be opened");
  command->allow_extras();
  command->footer(
      "DIR comes first. Other options are TensorBoard's and go to it. It\n"
      "listens on localhost unless --bind_all or --host says otherwise, and\n"
      "the line of an SSH tunnel is printed.\n"
      "Examples:\n"
      "  popscope tensorboard\n"
      "  popscope tensorboard logs --port 6007");
  command->callback([command, options, &chosen] {
    Words words = command->remaining();
    if (!words.empty() && words.front().rfind('-', 0) != 0) {
      options->log = words.front();
      words.erase(words.begin());
    }
    options->passed = std::move(words);
    chosen = [options] { return openTensorboard(*options); };
  });
}

} // namespace popscope::host
