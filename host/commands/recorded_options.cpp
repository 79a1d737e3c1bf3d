#include "host/commands/recorded_options.hpp"

#include "host/command.hpp"
#include "host/commands/train_options_parser.hpp"
#include "host/run/manifest_file.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>

namespace popscope::host {

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

// Options of one start, which say nothing of the training.
const std::set<std::string> &optionsOfStart() {
  static const std::set<std::string> kNames{"--resume", "--run",   "--logdir",
                                            "--clean",  "--force", "--quiet"};
  return kNames;
}

// Options that a resumed training can have only with the value of the run: to
// give one is no change.
const std::set<std::string> &optionsOfRun() {
  static const std::set<std::string> kNames{"--preset",
                                            "--model",
                                            "--batch-size",
                                            "--gradient-accumulation",
                                            "--accumulation-method",
                                            "--optimizer",
                                            "--steps-per-epoch",
                                            "--steps-per-execution",
                                            "--seed",
                                            "--pipeline-stages",
                                            "--replicas",
                                            "--precision",
                                            "--loss-scale"};
  return kNames;
}

// A command line of popscope train, parsed.
class Parsed {
public:
  // Sets the options that the words give. Throws CLI::ParseError.
  Parsed(const Words &words, TrainOptions &options) {
    addTrainOptions(parser_, options);
    Words marked = withFaultsMarked(words);
    std::reverse(marked.begin(), marked.end()); // as CLI11 takes them
    parser_.parse(std::move(marked));
  }

  std::vector<const CLI::Option *> given() const {
    const CLI::App &parser = parser_;
    return parser.get_options(
        [](const CLI::Option *option) { return option->count() > 0; });
  }
  // Null if it was not given.
  const CLI::Option *given(const std::string &name) const {
    const CLI::Option *const option = parser_.get_option(name);
    return option->count() > 0 ? option : nullptr;
  }

private:
  CLI::App parser_;
};

bool isFlag(const CLI::Option &option) {
  return option.get_items_expected_max() == 0;
}

// The words that give the option again.
void append(Words &words, const CLI::Option &option) {
  const std::string name = option.get_name();
  if (isFlag(option)) {
    words.push_back(name);
    return;
  }
  for (const std::string &value : option.results())
    if (value.rfind('-', 0) == 0)
      words.push_back(name + "=" + value);
    else
      words.insert(words.end(), {name, value});
}

Words recordedWords(const text::JsonValue &manifest, const fs::path &run) {
  Words words;
  for (const text::JsonValue &word : manifest["command_line"].items())
    words.push_back(word.stringOr(""));
  if (words.size() < 2 || words[1] != "train")
    throw BadInput(run.string() +
                   ": popscope train did not write it; name the run of a "
                   "training");
  words.erase(words.begin(), words.begin() + 2);
  return words;
}

// One that cannot be read is of another version.
template <class Parse>
auto ofManifest(const fs::path &run, const Parse &parse) {
  try {
    return parse();
  } catch (const CLI::ParseError &error) {
    throw BadInput((run / "popscope.json").string() +
                   ": its command line is of another version: " + error.what());
  } catch (const std::invalid_argument &error) {
    throw BadInput((run / "popscope.json").string() + ": " + error.what());
  }
}

void addRecorded(const text::JsonValue &manifest, TrainOptions &options) {
  const text::JsonValue &rates = manifest["learning_rate_schedule"];
  if (!rates.isNull())
    options.learningRates = LearningRateSchedule::parse(rates.stringOr(""));
  // Those of poprun are not among the options.
  options.replicas = unsigned(manifest["replicas"].numberOr(options.replicas));
  if (!manifest["model_file"].isNull())
    options.modelContent = toJson(manifest["model_file"]);
}

void refuseOptionsOfStart(const Parsed &given, const std::string &run) {
  for (const char *name : {"--run", "--logdir", "--clean"})
    if (given.given(name))
      throw BadInput(std::string(name) + " does not go with --resume " + run +
                     ", which says where the run is; leave it out");
}

// What to train is decided.
void refuseOtherModel(const Parsed &given, const Parsed &recorded,
                      const std::string &run) {
  for (const char *name : {"--preset", "--model"}) {
    const CLI::Option *const option = given.given(name);
    const CLI::Option *const before = recorded.given(name);
    if (!option || (before && before->results() == option->results()))
      continue;
    throw BadInput(std::string(name) + " " + option->results().front() +
                   " does not go with --resume " + run +
                   ", which has its model; leave it out, or begin another run");
  }
}

std::string changeOf(const CLI::Option &option, const CLI::Option *before) {
  const auto valuesOf = [](const CLI::Option &given) {
    return CLI::detail::join(given.results(), " ");
  };
  return option.get_name() + (isFlag(option) ? "" : " " + valuesOf(option)) +
         (before ? ", before " + valuesOf(*before) : ", not given before");
}

} // namespace

RunPlace placeOfRun(const std::string &directory) {
  fs::path path = (fs::path(directory) / "").parent_path();
  if (path.filename() == "." || path.filename() == "..")
    path = (fs::absolute(path).lexically_normal() / "").parent_path();
  const std::string logdir = path.parent_path().string();
  return {logdir.empty() ? "." : logdir, path.filename().string()};
}

TrainOptions recordedOptions(const fs::path &run) {
  const text::JsonValue manifest = readManifest(run);
  const Words words = recordedWords(manifest, run);
  TrainOptions options;
  ofManifest(run, [&] {
    const Parsed parsed(words, options);
    addRecorded(manifest, options);
    return 0;
  });
  return options;
}

ResumedTraining resumedTraining(const TrainOptions &options,
                                const Words &commandLine) {
  const fs::path run = options.resumedRun;
  const text::JsonValue manifest = readManifest(run);
  const Words recordedLine = recordedWords(manifest, run);
  ResumedTraining resumed;
  const auto recorded = ofManifest(run, [&] {
    auto parsed = std::make_unique<Parsed>(recordedLine, resumed.options);
    addRecorded(manifest, resumed.options);
    return parsed;
  });
  resumed.options.clean = resumed.options.force = resumed.options.quiet = false;
  const Parsed given(Words(commandLine.begin() + 2, commandLine.end()),
                     resumed.options);
  refuseOptionsOfStart(given, options.resumedRun);
  refuseOtherModel(given, *recorded, options.resumedRun);

  resumed.commandLine = {commandLine.front(), "train"};
  for (const CLI::Option *option : recorded->given())
    if (!optionsOfStart().count(option->get_name()) &&
        !given.given(option->get_name()))
      append(resumed.commandLine, *option);
  for (const CLI::Option *option : given.given()) {
    const std::string name = option->get_name();
    if (optionsOfStart().count(name))
      continue;
    append(resumed.commandLine, *option);
    const CLI::Option *const before = recorded->given(name);
    // The checkpoint says from when on another learning rate holds.
    if (name != "--learning-rate" && !optionsOfRun().count(name) &&
        !(before && before->results() == option->results()))
      resumed.options.changes.push_back(changeOf(*option, before));
  }
  const RunPlace place = placeOfRun(options.resumedRun);
  resumed.options.logdir = place.logdir;
  resumed.options.run = place.run;
  resumed.options.resume = true;
  resumed.commandLine.insert(
      resumed.commandLine.end(),
      {"--logdir", place.logdir, "--run", place.run, "--resume"});
  return resumed;
}

} // namespace popscope::host
