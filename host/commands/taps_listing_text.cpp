// The listing as a table for people, one for pipes, and JSON.
#include "host/commands/taps_listing.hpp"
#include "text/json_object.hpp"
#include "text/number_text.hpp"
#include "text/quoting.hpp"
#include "text/table.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

namespace popscope::host {

namespace {

const std::vector<std::string> &headings() {
  static const std::vector<std::string> headings = {
      "tensor",       "kind",       "at",       "stage",
      "type",         "shape",      "schedule", "payload",
      "bytes/update", "tile bytes", "cycles",   "tensor bytes/update"};
  return headings;
}

std::string shapeText(const std::vector<std::size_t> &shape) {
  std::string text;
  for (const std::size_t dimension : shape)
    text += (text.empty() ? "" : "x") + std::to_string(dimension);
  return text.empty() ? "1" : text;
}

std::string plainNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

std::string scheduleText(const outfeed::Tap &tap) {
  return tap.schedule.text() +
         (tap.condition ? " when " + tap.condition->text() : "");
}

std::string payloadText(const outfeed::Tap &tap) {
  return std::string(outfeed::nameOf(tap.payload)) +
         (tap.forUpdates != 0 ? " for " + std::to_string(tap.forUpdates) : "");
}

std::vector<std::string> cellsOf(const TapsListing::Row &row,
                                 std::string (*number)(double)) {
  const outfeed::Tap &tap = row.tap;
  const outfeed::TensorTraits &tensor = tap.tensor;
  return {tensor.name,
          outfeed::nameOf(tensor.kind),
          outfeed::nameOf(tensor.moment),
          std::to_string(tensor.stage),
          tensor.dtype,
          shapeText(tensor.shape),
          scheduleText(tap),
          payloadText(tap),
          number(row.bytesPerUpdate),
          number(double(tap.tileBytes)),
          number(double(tap.cycles)),
          number(row.tensorBytesPerUpdate)};
}

std::vector<std::string> cellsOf(const TapsListing::Health &health,
                                 std::string (*number)(double)) {
  const std::string title = "health: " + std::to_string(health.tensors) +
                            (health.tensors == 1 ? " tensor" : " tensors");
  return {title,
          "",
          "",
          "",
          "",
          "",
          outfeed::UpdateSchedule().text(),
          outfeed::nameOf(outfeed::Payload::alarm),
          number(health.bytesPerUpdate),
          number(double(health.tileBytes)),
          number(double(health.cycles)),
          ""};
}

std::vector<std::string> titledBytes(const std::string &title, double bytes,
                                     std::string (*number)(double)) {
  return {title, "", "", "", "", "", "", "", number(bytes), "", "", ""};
}

std::string countOf(unsigned count, const char *noun) {
  return text::withThousands(count) + " " + noun + (count == 1 ? "" : "s");
}

void printForTerminal(const TapsListing::Instances &instances,
                      std::ostream &out) {
  const auto number = [](double value) { return text::withThousands(value); };
  const double others = instances.bytesMerged - instances.bytesOfAHost;
  out << '\n'
      << countOf(instances.instances, "instance") << " of "
      << countOf(instances.replicas, "replica") << ", in an update:\n"
      << "  kept apart  " << number(instances.bytesOfAHost)
      << " bytes reach each host, from its replicas\n"
      << "  merged      " << number(instances.bytesMerged)
      << " bytes reach instance 0, " << number(others)
      << " of them from other hosts:\n"
      << "              " << number(instances.recordsMerged)
      << " records to merge\n"
      << "  a replica   " << number(double(instances.tileBytes))
      << " bytes of tile memory, " << number(instances.cycles)
      << " cycles, however many there are\n";
}

std::string titleOf(const TapsListing::Otherwise &otherwise) {
  return otherwise.mergesReplicas ? "with --merge-replicas"
                                  : "without --merge-replicas";
}

void printForTerminal(const TapsListing::Otherwise &otherwise,
                      const std::optional<TapsListing::Instances> &instances,
                      std::ostream &out) {
  const auto number = [](double value) { return text::withThousands(value); };
  const double bytes = otherwise.bytesPerUpdate;
  out << titleOf(otherwise) << ": " << number(bytes) << " bytes per update in "
      << number(otherwise.recordsPerUpdate) << " records";
  if (instances)
    out << ",\n  " << number(bytes / instances->instances)
        << " bytes at each host";
  out << '\n';
}

using Cells = std::vector<std::vector<std::string>>;

// The value that the column has in all of several rows; else empty.
std::string onlyValue(const Cells &rows, const std::string &heading) {
  const auto column = static_cast<std::size_t>(
      std::find(headings().begin(), headings().end(), heading) -
      headings().begin());
  const bool isOnly =
      rows.size() > 1 &&
      std::all_of(rows.begin(), rows.end(), [&](const auto &row) {
        return row[column] == rows.front()[column];
      });
  return isOnly ? rows.front()[column] : "";
}

// The columns that may be left out, the first to go first: those with the same
// value in all rows, then those of less use.
std::vector<std::string> expendable(const Cells &rows) {
  std::vector<std::string> order = {
      "type",   "stage",      "schedule", "payload", "tensor bytes/update",
      "cycles", "tile bytes", "at",       "shape",   "kind"};
  std::stable_partition(order.begin(), order.end(), [&](const auto &heading) {
    return !onlyValue(rows, heading).empty();
  });
  return order;
}

// The tensors of which only the part is tapped that the program uses.
std::vector<std::string> partsIn(const TapsListing &listing) {
  std::vector<std::string> parts;
  for (const TapsListing::Row &row : listing.rows) {
    const outfeed::TensorTraits &tensor = row.tap.tensor;
    if (!tensor.partOf.empty())
      parts.push_back(tensor.name + " (" + shapeText(tensor.shape) + " of " +
                      shapeText(tensor.partOf) + ")");
  }
  return parts;
}

// "title a, b, c." in lines that fit into the terminal; nothing without words.
void printList(std::ostream &out, std::string title,
               const std::vector<std::string> &words,
               std::size_t terminalColumns) {
  if (words.empty())
    return;
  std::string line = std::move(title);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i] + (i + 1 < words.size() ? "," : ".");
    if (line.size() + 1 + word.size() > terminalColumns) {
      out << line << '\n';
      line = "  " + word;
    } else {
      line += " " + word;
    }
  }
  out << line << '\n';
}

} // namespace

void printForTerminal(const TapsListing &listing, std::ostream &out,
                      std::size_t terminalColumns) {
  text::Table table(headings());
  Cells rows;
  for (const TapsListing::Row &row : listing.rows) {
    rows.push_back(cellsOf(row, text::withThousands));
    table.add(rows.back());
  }
  if (listing.health.tensors != 0)
    table.add(cellsOf(listing.health, text::withThousands));
  std::vector<std::string> alike, hidden;
  bool showsEstimates = true;
  for (const std::string &heading :
       table.dropToFit(terminalColumns, expendable(rows))) {
    const std::string value = onlyValue(rows, heading);
    if (value.empty())
      hidden.push_back(heading);
    else
      alike.push_back(heading + " " + value);
    showsEstimates = showsEstimates && heading != "tile bytes";
  }
  table.print(out, text::Layout::aligned, terminalColumns);
  out << '\n';
  printList(out, "The same for all:", alike, terminalColumns);
  printList(out, "Not shown, as the terminal is too narrow (--json has all):",
            hidden, terminalColumns);
  printList(out, "Only the part that the next layer reads:", partsIn(listing),
            terminalColumns);
  if (showsEstimates)
    out << "Tile bytes and cycles are estimates for the busiest tile and "
           "worker, never\nmeasured on a device.\n";
  const bool hasLists =
      std::any_of(listing.rows.begin(), listing.rows.end(),
                  [](const auto &row) { return row.tap.schedule.every == 0; });
  if (hasLists)
    out << "Taps at listed updates only do not count in bytes/update.\n";
  const bool hasConditions =
      std::any_of(listing.rows.begin(), listing.rows.end(),
                  [](const auto &row) { return row.tap.condition; });
  if (hasConditions)
    out << "Taps with a condition do not count in bytes/update: nothing is "
           "sent until it holds.\n";
  out << listing.rows.size()
      << (listing.rows.size() == 1 ? " tensor tapped: " : " tensors tapped: ")
      << text::withThousands(listing.bytesPerUpdate)
      << " bytes per update go to the host;\nthe tensors themselves have "
      << text::withThousands(listing.tensorBytesPerUpdate) << ".\n";
  const TapsListing::Recorder &recorder = listing.recorder;
  if (recorder.updates != 0)
    out << "The recorder keeps " << recorder.updates << " updates of "
        << recorder.tensors << " tensors, in at most "
        << text::withThousands(double(recorder.tileBytes))
        << " bytes of a tile.\n";
  if (listing.instances)
    printForTerminal(*listing.instances, out);
  if (listing.otherwise)
    printForTerminal(*listing.otherwise, listing.instances, out);
}

void printForPipe(const TapsListing &listing, std::ostream &out) {
  text::Table table(headings());
  for (const TapsListing::Row &row : listing.rows)
    table.add(cellsOf(row, plainNumber));
  if (listing.health.tensors != 0)
    table.add(cellsOf(listing.health, plainNumber));
  if (const auto &instances = listing.instances) {
    table.add(titledBytes("instances: each host, apart",
                          instances->bytesOfAHost, plainNumber));
    table.add(titledBytes("instances: the first, merged",
                          instances->bytesMerged, plainNumber));
  }
  if (const auto &otherwise = listing.otherwise)
    table.add(titledBytes(titleOf(*otherwise), otherwise->bytesPerUpdate,
                          plainNumber));
  table.add({"total", "", "", "", "", "", "", "",
             plainNumber(listing.bytesPerUpdate), "", "",
             plainNumber(listing.tensorBytesPerUpdate)});
  table.print(out, text::Layout::headed);
}

void printJson(const TapsListing &listing, std::ostream &out) {
  out << "{\"taps\": [";
  const char *separator = "\n";
  for (const TapsListing::Row &row : listing.rows) {
    const outfeed::Tap &tap = row.tap;
    const outfeed::TensorTraits &tensor = tap.tensor;
    const auto size = [](std::size_t dimension) {
      return std::to_string(dimension);
    };
    out << separator << "  {\"tensor\": " << text::jsonString(tensor.name)
        << ", \"kind\": " << text::jsonString(outfeed::nameOf(tensor.kind))
        << ", \"at\": " << text::jsonString(outfeed::nameOf(tensor.moment))
        << ", \"stage\": " << tensor.stage
        << ", \"type\": " << text::jsonString(tensor.dtype)
        << ", \"shape\": " << text::jsonArray(tensor.shape, size);
    if (!tensor.partOf.empty())
      out << ", \"part_of\": " << text::jsonArray(tensor.partOf, size);
    out << ", \"schedule\": " << text::jsonString(tap.schedule.text())
        << ", \"payload\": " << text::jsonString(outfeed::nameOf(tap.payload));
    if (tap.condition)
      out << ", \"when\": " << text::jsonString(tap.condition->text())
          << ", \"for\": " << tap.forUpdates
          << ", \"bytes_when_sent\": " << tap.bytes;
    out << ", \"bytes_per_update\": " << plainNumber(row.bytesPerUpdate)
        << ", \"tile_bytes\": " << tap.tileBytes
        << ", \"cycles\": " << tap.cycles << ", \"tensor_bytes_per_update\": "
        << plainNumber(row.tensorBytesPerUpdate) << "}";
    separator = ",\n";
  }
  const TapsListing::Health &health = listing.health;
  out << "\n],\n\"health\": {\"tensors\": " << health.tensors
      << ", \"bytes_per_update\": " << plainNumber(health.bytesPerUpdate)
      << ", \"tile_bytes\": " << health.tileBytes
      << ", \"cycles\": " << health.cycles << "}";
  out << ",\n\"totals\": {\"taps\": " << listing.rows.size()
      << ", \"bytes_per_update\": " << plainNumber(listing.bytesPerUpdate)
      << ", \"tensor_bytes_per_update\": "
      << plainNumber(listing.tensorBytesPerUpdate) << "}";
  if (listing.recorder.updates != 0)
    out << ",\n\"recorder\": {\"updates\": " << listing.recorder.updates
        << ", \"tensors\": " << listing.recorder.tensors
        << ", \"tile_bytes\": " << listing.recorder.tileBytes << "}";
  if (const auto &instances = listing.instances)
    out << ",\n\"instances\": {\"instances\": " << instances->instances
        << ", \"replicas_of_each\": " << instances->replicas
        << ", \"bytes_per_update_of_a_host\": "
        << plainNumber(instances->bytesOfAHost)
        << ", \"merged_bytes_per_update\": "
        << plainNumber(instances->bytesMerged)
        << ", \"merged_records_per_update\": "
        << plainNumber(instances->recordsMerged)
        << ", \"tile_bytes\": " << instances->tileBytes
        << ", \"cycles_per_update\": " << plainNumber(instances->cycles) << "}";
  if (const auto &otherwise = listing.otherwise)
    out << ",\n\""
        << (otherwise->mergesReplicas ? "with_merge_replicas"
                                      : "without_merge_replicas")
        << "\": {\"bytes_per_update\": "
        << plainNumber(otherwise->bytesPerUpdate)
        << ", \"records_per_update\": "
        << plainNumber(otherwise->recordsPerUpdate) << "}";
  out << "}\n";
}

} // namespace popscope::host
