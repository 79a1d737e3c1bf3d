// One encoded value and the metadata that choose the TensorBoard page for it.
// Each kind of value has its header with a function toValue.
#pragma once

#include <string>
#include <string_view>

namespace popscope::summary {

// How TensorBoard's data layer treats a value. `derived` lets it find out from
// the plugin name, which works for its own plugins only.
enum class DataClass { derived = 0, scalar = 1, tensor = 2, blobSequence = 3 };

// Readers honour the metadata of a tag's first value and ignore the rest, so
// the writer sends them once per file. Here and wherever text goes into an
// event, bytes that are not UTF-8 become U+FFFD: readers would abandon the
// file.
struct ValueMetadata {
  std::string plugin;
  std::string content; // plugin-specific, often empty
  std::string displayName;
  std::string description; // Markdown
  DataClass dataClass = DataClass::derived;

  // Whether readers can derive all this from the form of the value, as for a
  // scalar without description.
  bool isImplied() const;
  // The SummaryMetadata message.
  std::string serialized() const;
};

struct Value {
  ValueMetadata metadata;
  // Fields of a Summary.Value other than tag and metadata, serialised.
  std::string body;

  // Sets what TensorBoard shows in place of the tag, and below it.
  Value described(std::string displayName, std::string description) &&;
};

constexpr std::string_view kScalarPlugin = "scalars";

// A point of a curve. Any float is legal, NaN and infinities too; the chart
// marks them.
Value toValue(float scalar);

} // namespace popscope::summary
