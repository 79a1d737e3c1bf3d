#include "host/compare/difference_listing.hpp"

#include "text/json_object.hpp"
#include "text/number_text.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace popscope::host {

using outfeed::ComparedLog;
using outfeed::DifferenceAt;
using outfeed::Evidence;
using outfeed::RunDifference;
using outfeed::SampleDifference;
using outfeed::TensorDifference;

namespace {

std::string runLine(const char *name, const std::string &path,
                    const ComparedLog &log) {
  return std::string(name) + "  " + path + ": " +
         text::withThousands(double(log.updates)) + " updates, " +
         text::withThousands(double(log.samples)) + " samples";
}

std::vector<std::string> rowOf(const TensorDifference &tensor) {
  const std::string share =
      std::to_string(tensor.differing) + "/" + std::to_string(tensor.compared);
  if (!tensor.first)
    return {tensor.a.tag, "-", "-", "-", "-", "-", share};
  const SampleDifference &first = tensor.first->difference;
  return {tensor.a.tag,
          std::to_string(tensor.first->update.value()),
          relativeText(first),
          cosineText(first),
          relativeText(tensor.largest->difference),
          std::to_string(tensor.largest->update.value()),
          share};
}

// Those compared, as they part: by the update of their first difference and
// then in the order of the program; last those that are the same.
std::vector<const TensorDifference *> rowsOf(const RunDifference &difference) {
  std::vector<const TensorDifference *> rows;
  for (const TensorDifference &tensor : difference.tensors)
    if (tensor.compared != 0)
      rows.push_back(&tensor);
  std::stable_sort(rows.begin(), rows.end(), [](const auto *a, const auto *b) {
    return a->first && (!b->first || a->first->update < b->first->update);
  });
  return rows;
}

// Lines of at most so many columns, the later ones indented.
void printFolded(std::ostream &out, const std::string &line,
                 std::size_t columns) {
  std::size_t begin = 0;
  std::string indent;
  while (line.size() - begin + indent.size() > columns) {
    const std::size_t end = line.rfind(' ', begin + columns - indent.size());
    if (end == std::string::npos || end <= begin)
      break;
    out << indent << line.substr(begin, end - begin) << '\n';
    begin = end + 1;
    indent = "  ";
  }
  out << indent << line.substr(begin) << '\n';
}

const char *nameOf(Evidence evidence) {
  switch (evidence) {
  case Evidence::bits:
    return "bits";
  case Evidence::sketch:
    return "sketch";
  case Evidence::statistics:
    break;
  }
  return "statistics";
}

std::string jsonOf(const DifferenceAt &at) {
  text::JsonObject object;
  object.count("update", at.update.value());
  object.string("evidence", nameOf(at.difference.evidence));
  object.number("relative_l2", at.difference.relativeL2);
  if (at.difference.cosine)
    object.number("cosine", *at.difference.cosine);
  return object.text();
}

std::string jsonOf(const TensorDifference &tensor) {
  text::JsonObject object;
  object.string("tensor", tensor.a.tag);
  object.string("kind", tensor.a.kind);
  object.add("dtypes",
             text::jsonArray(std::vector{tensor.a.dtype, tensor.b.dtype},
                             text::jsonString));
  object.count("compared", tensor.compared);
  object.count("bit_identical", tensor.proven);
  object.count("differing", tensor.differing);
  object.count("only_in_a", tensor.onlyInA);
  object.count("only_in_b", tensor.onlyInB);
  if (tensor.first)
    object.add("first", jsonOf(*tensor.first));
  if (tensor.largest)
    object.add("largest", jsonOf(*tensor.largest));
  return object.text();
}

std::string jsonOf(const std::string &path, const ComparedLog &log) {
  text::JsonObject object;
  object.string("run", path);
  object.count("updates", log.updates);
  object.count("samples", log.samples);
  object.count("updates_only_here", log.onlyHere);
  object.add("tensors_only_here",
             text::jsonArray(log.tensorsOnlyHere, text::jsonString));
  if (!log.flaw.empty())
    object.string("flaw", log.flaw);
  return object.text();
}

} // namespace

void printListing(std::ostream &out, const ComparedRuns &runs,
                  const ListingOptions &options) {
  const RunDifference &difference = runs.difference;
  const std::size_t columns = options.terminalColumns;
  printFolded(out, runLine("A", runs.a, difference.a), columns);
  printFolded(out, runLine("B", runs.b, difference.b), columns);
  printFolded(out, verdictOf(runs), columns);
  text::Table table(
      {"tensor", "first", "rel. L2", "cosine", "largest", "at", "differs"});
  const std::vector<const TensorDifference *> rows = rowsOf(difference);
  const auto differing = std::size_t(
      std::count_if(rows.begin(), rows.end(),
                    [](const auto *tensor) { return tensor->first; }));
  const std::size_t shown =
      options.listsAll ? rows.size() : std::min(differing, options.rows);
  for (std::size_t i = 0; i < shown; ++i)
    table.add(rowOf(*rows[i]));
  if (!table.empty()) {
    out << '\n';
    table.dropToFit(columns, {"at", "largest", "cosine"});
    table.print(out, options.layout, columns);
    if (shown < differing)
      out << differing - shown << " more differ; --all lists them\n";
    if (differing < rows.size())
      out << rows.size() - differing << " of " << rows.size()
          << (rows.size() - differing == 1 ? " tensors is" : " tensors are")
          << " the same at every update\n";
    out << '\n';
  }
  for (const std::string &note : notesOn(runs))
    printFolded(out, note, columns);
}

void printJson(std::ostream &out, const ComparedRuns &runs) {
  const RunDifference &difference = runs.difference;
  text::JsonObject object;
  object.add("same", runs.isSame() ? "true" : "false");
  object.add("bit_identical", difference.isProvenSame() ? "true" : "false");
  object.number("tolerance", runs.tolerance);
  object.string("verdict", verdictOf(runs));
  object.add("a", jsonOf(runs.a, difference.a));
  object.add("b", jsonOf(runs.b, difference.b));
  object.count("common_updates", difference.commonUpdates);
  object.count("comparisons", difference.comparisons());
  object.count("differing", difference.differing());
  if (difference.first)
    object.add("first", jsonOf(difference.tensors[*difference.first]));
  object.add("notes", text::jsonArray(notesOn(runs), text::jsonString));
  object.add("tensors", text::jsonArray(difference.tensors,
                                        [](const TensorDifference &tensor) {
                                          return "\n  " + jsonOf(tensor);
                                        }));
  out << object.text() << '\n';
}

} // namespace popscope::host
