#include "host/compare/compared_runs.hpp"

#include "host/command.hpp"
#include "summary/records/file_source.hpp"
#include "text/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <system_error>

namespace popscope::host {

namespace fs = std::filesystem;
using outfeed::ComparedLog;
using outfeed::Evidence;
using outfeed::RunDifference;
using outfeed::SampleDifference;
using outfeed::TensorDifference;

namespace {

fs::path logOf(const fs::path &run) {
  if (fs::is_regular_file(run))
    return run;
  if (!fs::is_directory(run))
    throw BadInput(run.string() + ": there is no such run");
  const fs::path log = run / outfeed::kSampleLogName;
  if (fs::exists(log))
    return log;
  if (fs::exists(run / "popscope.json"))
    throw BadInput(run.string() + ": no " + outfeed::kSampleLogName +
                   "; only a training that taps something can be compared, "
                   "such as popscope train --tap '* -> identity'");
  throw BadInput(run.string() + ": not the directory of a run; name one such "
                                "as logs/cnn-20260101-120000");
}

// A log and the file that it is read from.
struct OpenLog {
  explicit OpenLog(const fs::path &file) try : source(file), reader(source) {
  } catch (const std::system_error &error) {
    throw BadInput(file.string() + ": " + error.code().message());
  } catch (const std::invalid_argument &error) {
    throw BadInput(file.string() + ": " + withoutRoom(error.what()));
  }
  summary::FileSource source;
  outfeed::SampleLogReader reader;
};

bool isByEstimate(const TensorDifference &tensor) {
  return tensor.largest &&
         tensor.largest->difference.evidence != Evidence::statistics &&
         std::isfinite(tensor.largest->difference.relativeL2);
}

bool isBound(const TensorDifference &tensor) {
  return tensor.largest &&
         tensor.largest->difference.evidence == Evidence::statistics;
}

std::size_t comparedTensors(const RunDifference &difference) {
  return std::size_t(std::count_if(
      difference.tensors.begin(), difference.tensors.end(),
      [](const TensorDifference &tensor) { return tensor.compared != 0; }));
}

// "a, b, c and 4 more"
std::string listed(const std::vector<std::string> &names) {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMost)
    text += " and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

void addNotes(std::vector<std::string> &notes, const std::string &run,
              const ComparedLog &log) {
  if (!log.tensorsOnlyHere.empty())
    notes.push_back("only in " + run +
                    ", not compared: " + listed(log.tensorsOnlyHere));
  if (log.onlyHere != 0)
    notes.push_back(
        "only in " + run +
        ", not compared: " + text::counted(log.onlyHere, "update") + " (" +
        (log.onlyHere == 1
             ? std::to_string(log.firstOnlyHere->value())
             : "from " + std::to_string(log.firstOnlyHere->value()) + " to " +
                   std::to_string(log.lastOnlyHere->value())) +
        ")");
  if (!log.flaw.empty())
    notes.push_back("the log of " + run + " is not whole: " + log.flaw);
}

} // namespace

ComparedRuns compareRunsAt(const fs::path &a, const fs::path &b,
                           double tolerance) {
  OpenLog logA(logOf(a)), logB(logOf(b));
  ComparedRuns runs{a.string(), b.string(), tolerance, {}};
  runs.difference = outfeed::compareRuns(logA.reader, logB.reader, tolerance);
  if (runs.difference.comparisons() == 0) {
    std::string why = "they have no tensor at the same update in common";
    if (!runs.difference.notComparable.empty())
      why = runs.difference.notComparable.front();
    throw BadInput(runs.a + " and " + runs.b + " cannot be compared: " + why);
  }
  return runs;
}

std::string relativeText(const SampleDifference &difference) {
  return (difference.evidence == Evidence::statistics ? ">=" : "") +
         text::significant(difference.relativeL2, 2);
}

std::string cosineText(const SampleDifference &difference) {
  if (!difference.cosine)
    return "-";
  const double gap = 1 - *difference.cosine;
  if (gap == 0)
    return "1";
  return gap < 0.01 ? "1 - " + text::significant(gap, 1)
                    : text::significant(*difference.cosine, 2);
}

std::string typeText(const outfeed::LoggedTensor &tensor) {
  std::string text;
  for (const std::size_t dimension : tensor.shape)
    text += (text.empty() ? "" : ",") + std::to_string(dimension);
  return tensor.dtype + " [" + text + "]";
}

std::string verdictOf(const ComparedRuns &runs) {
  const RunDifference &difference = runs.difference;
  if (difference.first) {
    const TensorDifference &tensor = difference.tensors[*difference.first];
    const SampleDifference &first = tensor.first->difference;
    std::string text = "first difference: update " +
                       std::to_string(tensor.first->update.value()) + ", " +
                       tensor.a.tag + " (" + tensor.a.kind + ", " +
                       typeText(tensor.a) + "): ";
    if (std::isinf(first.relativeL2))
      return text + "A is zero, or they have other numbers of NaN and infinity";
    text += "relative L2 " + relativeText(first);
    return first.cosine ? text + ", cosine " + cosineText(first) : text;
  }
  const std::string what =
      text::counted(comparedTensors(difference), "tensor") + " at " +
      text::counted(difference.commonUpdates, "update");
  if (difference.isProvenSame())
    return "bit-identical: " + what;
  double largest = 0;
  for (const TensorDifference &tensor : difference.tensors)
    if (tensor.largest)
      largest = std::max(largest, tensor.largest->difference.relativeL2);
  if (largest > 0)
    return "same within the tolerance of " +
           text::significant(runs.tolerance, 2) + ": " + what +
           ", relative L2 up to " + text::significant(largest, 2);
  return "no difference seen: " + what;
}

std::vector<std::string> notesOn(const ComparedRuns &runs) {
  const RunDifference &difference = runs.difference;
  const auto any = [&](bool (*is)(const TensorDifference &)) {
    return std::any_of(difference.tensors.begin(), difference.tensors.end(),
                       is);
  };
  std::vector<std::string> notes;
  const auto byStatistics = std::uint64_t(std::count_if(
      difference.tensors.begin(), difference.tensors.end(),
      [](const TensorDifference &tensor) { return tensor.byStatistics != 0; }));
  if (any(isByEstimate))
    notes.push_back("relative L2 and cosine are estimated from sketches; "
                    "standard error 12.5 % of the relative L2");
  if (any(isBound))
    notes.push_back(">= is a lower bound, from statistics");
  if (byStatistics != 0)
    notes.push_back(text::counted(byStatistics, "tensor") +
                    (byStatistics == 1 ? " was" : " were") +
                    " compared by statistics, which cannot prove equality; "
                    "with -> identity in the rules of both runs it is proven");
  else if (!difference.first && !difference.isProvenSame() &&
           runs.tolerance == 0)
    notes.push_back("the types of elements differ, so that equality is not "
                    "proven");
  for (const std::string &line : difference.notComparable)
    notes.push_back("not compared: " + line);
  addNotes(notes, "A", difference.a);
  addNotes(notes, "B", difference.b);
  std::vector<std::string> gaps;
  for (const TensorDifference &tensor : difference.tensors)
    if (tensor.compared != 0 && tensor.compared < difference.commonUpdates &&
        tensor.onlyInA + tensor.onlyInB != 0)
      gaps.push_back(tensor.a.tag);
  if (!gaps.empty())
    notes.push_back("not tapped at the same updates: " + listed(gaps));
  std::vector<std::string> never;
  for (const TensorDifference &tensor : difference.tensors)
    if (tensor.compared == 0)
      never.push_back(tensor.a.tag);
  if (!never.empty())
    notes.push_back("never tapped at the same update, not compared: " +
                    listed(never));
  return notes;
}

} // namespace popscope::host
