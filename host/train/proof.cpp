#include "host/train/proof.hpp"

#include "host/command.hpp"
#include "host/run/run_directory.hpp"
#include "host/terminal/interrupt.hpp"
#include "host/train/state/checkpoint.hpp"
#include "host/train/training_run.hpp"
#include "outfeed/compare/sample_log_reader.hpp"
#include "summary/records/file_source.hpp"
#include "text/number_text.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

namespace popscope::host {

namespace fs = std::filesystem;

namespace {

enum ProofExitCode : int { exitProven = 0, exitDisproven = 1 };

std::string textOf(const fs::path &file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t elementsOf(const SavedTensor &tensor) {
  return tensor.bytes.size() / sizeof(float);
}

// Elements of four bytes whose bits differ.
std::size_t differingElements(const SavedTensor &a, const SavedTensor &b) {
  std::size_t differing = 0;
  for (std::size_t i = 0; i + sizeof(float) <= a.bytes.size();
       i += sizeof(float))
    differing += std::memcmp(&a.bytes[i], &b.bytes[i], sizeof(float)) != 0;
  return differing;
}

std::string counted(std::size_t count, const std::string &noun) {
  return text::withThousands(double(count)) + " " + noun +
         (count == 1 ? "" : "s");
}

// The cells of a line of log.csv.
std::vector<std::string> cellsOf(const std::string &line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');)
    cells.push_back(cell);
  return cells;
}

void compareLogs(std::vector<std::string> &lines, const std::string &with,
                 const std::string &without) {
  std::istringstream a(with), b(without);
  std::string lineA, lineB;
  std::getline(a, lineA);
  std::getline(b, lineB);
  const std::vector<std::string> names = cellsOf(lineA);
  while (std::getline(a, lineA) && std::getline(b, lineB)) {
    const std::vector<std::string> cellsA = cellsOf(lineA),
                                   cellsB = cellsOf(lineB);
    for (std::size_t i = 0;
         i < names.size() && i < cellsA.size() && i < cellsB.size(); ++i)
      if (cellsA[i] != cellsB[i])
        lines.push_back(names[i] + " of epoch " + cellsA[0] + ": " + cellsA[i] +
                        " with taps, " + cellsB[i] + " without");
  }
  if (lines.empty() && with != without)
    lines.push_back("log.csv: the epochs are not the same");
}

// Removed at the end, unless the user chose the place.
class Place {
public:
  explicit Place(const std::string &logdir) : path_(logdir) {
    if (!logdir.empty())
      return;
    std::string pattern =
        (fs::temp_directory_path() / "popscope-prove-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
      throw BadInput(pattern + " cannot be made; --logdir names another place");
    path_ = pattern;
    isTemporary_ = true;
  }
  ~Place() {
    std::error_code ignored;
    if (isTemporary_)
      fs::remove_all(path_, ignored);
  }
  Place(const Place &) = delete;
  Place &operator=(const Place &) = delete;

  const fs::path &path() const { return path_; }
  bool isTemporary() const { return isTemporary_; }

private:
  fs::path path_;
  bool isTemporary_ = false;
};

TrainOptions tapped(const TrainOptions &options) {
  TrainOptions with = options;
  if (with.inspection.rules.empty())
    with.inspection.rules = {"* -> identity"};
  with.inspection.onAlarm = OnAlarm::warn;
  with.quiet = true;
  return with;
}

TrainOptions untapped(const TrainOptions &options) {
  TrainOptions without = options;
  without.inspection = {};
  without.tutorial.given.clear(); // those about taps are refused without any
  without.noInspection = true;
  without.quiet = true;
  without.force = false;
  return without;
}

// Nothing if the user interrupts it.
std::optional<TrainedBits> train(TrainOptions options, const Place &place,
                                 const std::string &run,
                                 const std::vector<std::string> &commandLine) {
  options.logdir = place.path().string();
  options.run = run;
  std::ostringstream silent;
  outfeed::SoleInstance alone(options.replicas);
  const int code = runTraining(options, commandLine, silent, alone);
  if (code == kExitInterrupted)
    return std::nullopt;
  if (code != exitOk)
    throw BadInput("the training " + run +
                   " failed, so that nothing is "
                   "proven");
  return trainedBits(place.path() / run);
}

// "992 samples of 62 tensors"
std::string tapsOf(const fs::path &run) {
  const fs::path file = run / outfeed::kSampleLogName;
  if (!fs::exists(file))
    return "no samples";
  summary::FileSource bytes(file);
  outfeed::SampleLogReader log(bytes);
  std::size_t samples = 0;
  while (log.next())
    for (std::size_t i = 0; i < log.tensors().size(); ++i)
      samples += log.digest(i) != nullptr;
  return counted(samples, "sample") + " of " +
         counted(log.tensors().size(), "tensor");
}

std::string hashText(std::uint64_t hash) {
  char text[20];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(hash));
  return text;
}

} // namespace

TrainedBits trainedBits(const fs::path &run) {
  Checkpoint checkpoint = readCheckpoint(run / kCheckpointFolder);
  TrainedBits bits;
  bits.state = std::move(checkpoint.tensors);
  for (const std::vector<double> &metric : checkpoint.metricStates)
    bits.sums.insert(bits.sums.end(), metric.begin(), metric.end());
  bits.log = textOf(run / "log.csv");
  return bits;
}

std::uint64_t hashOf(const std::vector<SavedTensor> &state) {
  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&hash](std::uint8_t byte) {
    hash = (hash ^ byte) * 0x100000001b3u;
  };
  for (const SavedTensor &tensor : state) {
    for (const char letter : tensor.name)
      add(std::uint8_t(letter));
    for (const std::uint8_t byte : tensor.bytes)
      add(byte);
  }
  return hash;
}

std::vector<std::string> differencesBetween(const TrainedBits &with,
                                            const TrainedBits &without) {
  std::vector<std::string> lines;
  if (with.state.size() != without.state.size())
    return {"the programs do not have the same state"};
  compareLogs(lines, with.log, without.log);
  if (lines.empty() && (with.sums.size() != without.sums.size() ||
                        std::memcmp(with.sums.data(), without.sums.data(),
                                    with.sums.size() * sizeof(double)) != 0))
    lines.push_back("the sums of losses and metrics differ in their last bits");
  for (std::size_t i = 0; i < with.state.size(); ++i) {
    const SavedTensor &a = with.state[i], &b = without.state[i];
    if (a.name != b.name || a.bytes.size() != b.bytes.size())
      return {"the programs do not have the same state"};
    const std::size_t differing = differingElements(a, b);
    if (differing != 0)
      lines.push_back(a.name + ": " + std::to_string(differing) + " of " +
                      counted(elementsOf(a), "element") + " differ");
  }
  return lines;
}

int proveTraining(const TrainOptions &options,
                  const std::vector<std::string> &commandLine,
                  std::ostream &out) {
  if (options.noInspection)
    throw BadInput("--no-inspection leaves nothing to prove");
  if (!options.inspection.faults.empty())
    throw BadInput("--inject changes the training on purpose; prove it without "
                   "faults");
  if (options.resume)
    throw BadInput("--resume has no effect here: a proof trains from the "
                   "beginning, twice");
  const Place place(options.logdir);
  const std::string prefix = options.run.empty() ? "" : options.run + "-";
  const std::string withName = prefix + "with-taps",
                    withoutName = prefix + "without-taps";
  const auto with = train(tapped(options), place, withName, commandLine);
  if (!with)
    return kExitInterrupted;
  out << "with taps     hash " << hashText(hashOf(with->state))
      << " of all weights and states; " << tapsOf(place.path() / withName)
      << std::endl;
  const auto without =
      train(untapped(options), place, withoutName, commandLine);
  if (!without)
    return kExitInterrupted;
  out << "without taps  hash " << hashText(hashOf(without->state)) << '\n';
  const std::vector<std::string> differences =
      differencesBetween(*with, *without);
  if (differences.empty()) {
    out << "the same bits in " << counted(with->state.size(), "tensor")
        << " of weights and state and in all losses\n";
  } else {
    out << "not the same bits:\n";
    for (const std::string &line : differences)
      out << "  " << line << '\n';
  }
  if (!place.isTemporary())
    out << "the runs are in " << (place.path() / withName).string() << " and "
        << (place.path() / withoutName).string() << '\n';
  out.flush();
  return differences.empty() ? exitProven : exitDisproven;
}

} // namespace popscope::host
