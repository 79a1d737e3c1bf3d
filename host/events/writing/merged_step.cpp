#include "host/events/writing/merged_step.hpp"

#include "host/events/writing/tensor_fold.hpp"
#include "summary/reading/decoded_value.hpp"

#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace popscope::host::events {

namespace {

// One of the values of a tag.
struct Occurrence {
  const MergedStep::Event *event;
  MergedStep::Value *value;

  bool isCopyOf(const Occurrence &other) const {
    const summary::ValueView &a = value->view, &b = other.value->view;
    return event->part != other.event->part &&
           event->view.wallTime == other.event->view.wallTime &&
           a.form == b.form && a.content == b.content &&
           (a.form != summary::ValueView::Form::simpleValue ||
            summary::haveSameBytes(
                {reinterpret_cast<const char *>(&a.simpleValue),
                 sizeof a.simpleValue},
                {reinterpret_cast<const char *>(&b.simpleValue),
                 sizeof b.simpleValue}));
  }
};

using Occurrences = std::vector<Occurrence>; // of a tag, in order of time
using ByTag = std::map<std::string_view, Occurrences>;

// Removes copies, and what a later value of the same part replaces.
void keepOnePerPart(Occurrences &all, MergeCounts &counts) {
  Occurrences kept;
  for (const Occurrence &next : all) {
    bool isCopy = false;
    for (const Occurrence &other : kept)
      isCopy = isCopy || next.isCopyOf(other);
    if (isCopy) {
      next.value->isKept = false;
      ++counts.equal;
      continue;
    }
    for (auto other = kept.begin(); other != kept.end(); ++other)
      if (other->event->part == next.event->part) {
        other->value->isKept = false;
        ++counts.replaced;
        kept.erase(other);
        break;
      }
    kept.push_back(next);
  }
  all = std::move(kept);
}

void keepLast(const Occurrences &all, std::uint64_t &leftOut) {
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    all[i].value->isKept = false;
    ++leftOut;
  }
}

// A tensor's statistics and where they stand.
struct TappedTensor {
  std::map<std::size_t, TensorRecord> parts;
  std::vector<std::pair<TapTag, const Occurrences *>> tags;
};

// False if one of the values is not what its tag says.
bool addTo(TappedTensor &tensor, const TapTag &tag, const Occurrences &all) {
  for (const Occurrence &one : all) {
    const auto scalar = summary::decodeScalar(one.value->view);
    const auto histogram = summary::decodeHistogram(one.value->view);
    if (tag.statistic ? !scalar : !histogram)
      return false;
    TensorRecord &part = tensor.parts[one.event->part];
    if (tag.statistic)
      part.values[*tag.statistic] = *scalar;
    else
      part.histogram = *histogram;
  }
  tensor.tags.emplace_back(tag, &all);
  return true;
}

void fold(const TappedTensor &tensor, MergeCounts &counts) {
  if (tensor.parts.size() < 2)
    return;
  std::vector<TensorRecord> parts;
  for (const auto &[number, part] : tensor.parts)
    parts.push_back(part);
  const TensorRecord whole = foldParts(parts);
  for (const auto &[tag, all] : tensor.tags) {
    MergedStep::Value &last = *all->back().value;
    if (!tag.statistic) {
      last.histogram = whole.histogram;
    } else if (whole.values.count(*tag.statistic) != 0) {
      last.scalar = whole.values.at(*tag.statistic);
    } else {
      last.isKept = false;
      ++counts.unknown;
      keepLast(*all, counts.unknown);
      continue;
    }
    ++counts.folded;
    keepLast(*all, counts.folded);
  }
}

} // namespace

void MergedStep::add(std::size_t part, std::string payload) {
  Event &event = events_.emplace_back();
  event.part = part;
  event.payload = std::move(payload);
  const auto view = summary::EventView::parse(event.payload);
  if (!view)
    throw std::runtime_error("a file changed while it was read");
  event.view = *view;
  summary::ValueCursor values(event.view);
  while (const auto value = values.next())
    event.values.push_back({*value, true, std::nullopt, std::nullopt});
  if (values.failed())
    throw std::runtime_error("a summary inside a whole record cannot be "
                             "parsed, at step " +
                             std::to_string(event.view.step));
}

void MergedStep::resolve(Taps taps, MergeCounts &counts) {
  ByTag byTag;
  for (Event &event : events_)
    for (Value &value : event.values)
      byTag[value.view.tag].push_back({&event, &value});
  std::map<std::string, TappedTensor> tensors;
  for (auto &[tag, all] : byTag) {
    if (all.size() > 1)
      keepOnePerPart(all, counts);
    const auto tapTag = parseTapTag(tag);
    if (taps == Taps::fold && tapTag &&
        addTo(tensors[tapTag->tensor], *tapTag, all))
      continue;
    if (tapTag)
      counts.foldable += all.size() - 1;
    keepLast(all, counts.replaced);
  }
  for (const auto &[name, tensor] : tensors)
    fold(tensor, counts);
}

} // namespace popscope::host::events
