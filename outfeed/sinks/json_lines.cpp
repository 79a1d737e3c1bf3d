#include "outfeed/sinks/json_lines.hpp"

#include "outfeed/element_coordinates.hpp"
#include "outfeed/sinks/statistic.hpp"
#include "text/number_text.hpp"
#include "text/quoting.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace popscope::outfeed {

namespace {

class Object {
public:
  void add(const char *key, const std::string &json) {
    text_ +=
        (text_.empty() ? "{\"" : ", \"") + std::string(key) + "\": " + json;
  }
  void number(Statistic statistic, const TensorSample &sample) {
    if (const std::optional<double> value = valueOf(statistic, sample))
      add(nameOf(statistic), text::jsonNumber(*value));
  }
  void count(Statistic statistic, std::uint64_t value) {
    count(nameOf(statistic), value);
  }
  void count(const char *key, std::uint64_t value) {
    add(key, std::to_string(value));
  }
  void element(const char *key, std::uint64_t index,
               const std::vector<std::size_t> &shape) {
    if (index != summary::TensorStats::kNoIndex)
      add(key, coordinatesText(index, shape));
  }
  std::string text() const { return text_ + "}"; }

private:
  std::string text_;
};

// A line that a kill cut short counts as later than every update.
std::int64_t updateOf(const std::string &line) {
  constexpr std::string_view kKey = "\"update\": ";
  const std::size_t at = line.find(kKey);
  return at == std::string::npos || line.back() != '}'
             ? std::numeric_limits<std::int64_t>::max()
             : std::strtoll(line.c_str() + at + kKey.size(), nullptr, 10);
}

template <class Range, class ToJson>
std::string arrayJson(const Range &range, ToJson toJson) {
  std::string text = "[";
  for (const auto &element : range)
    text += (text.size() > 1 ? ", " : "") + toJson(element);
  return text + "]";
}

std::string hashJson(const std::array<std::uint32_t, 2> &hash) {
  char text[20];
  std::snprintf(text, sizeof text, "\"%08x%08x\"", hash[0], hash[1]);
  return text;
}

// Left and right edge and count of each bucket, as TensorBoard has them.
std::string histogramJson(const summary::Histogram &histogram) {
  return arrayJson(histogram.buckets, [](const auto &bucket) {
    return "[" + text::jsonNumber(bucket.left) + ", " +
           text::jsonNumber(bucket.right) + ", " +
           std::to_string(std::uint64_t(bucket.count)) + "]";
  });
}

void addStats(Object &object, const TensorSample &sample,
              const std::vector<std::size_t> &shape) {
  const summary::TensorStats &stats = sample.stats;
  object.count(Statistic::zero, stats.zero);
  object.count(Statistic::positive, stats.positive);
  object.count(Statistic::subnormal, stats.subnormal);
  object.number(Statistic::mean, sample);
  object.number(Statistic::deviation, sample);
  object.number(Statistic::min, sample);
  object.number(Statistic::max, sample);
  // Of an infinite extreme no more is known than the first bad element.
  if (stats.negInf == 0)
    object.element("arg_min", stats.argMin, shape);
  if (stats.posInf == 0)
    object.element("arg_max", stats.argMax, shape);
  object.number(Statistic::l2Norm, sample);
  object.number(Statistic::meanAbs, sample);
}

} // namespace

JsonLines::JsonLines(std::string path, summary::WriteListener onLoss,
                     summary::Clock clock)
    : path_(std::move(path)), options_{"", std::move(onLoss),
                                       std::move(clock)} {}

summary::LineWriter &JsonLines::lines() {
  using summary::LineWriter;
  if (!lines_ && path_ == "-")
    lines_ = std::make_unique<LineWriter>(STDOUT_FILENO, "standard output",
                                          options_.onLoss);
  else if (!lines_)
    lines_ = std::make_unique<LineWriter>(path_, LineWriter::Existing::replace,
                                          options_);
  return *lines_;
}

void JsonLines::resume(Update firstUpdate) {
  if (path_ != "-")
    lines_ = std::make_unique<summary::LineWriter>(
        path_,
        [firstUpdate](const std::string &line) {
          return updateOf(line) < firstUpdate.value();
        },
        options_);
}

void JsonLines::take(const Tap &tap, Update update,
                     const TensorSample &sample) {
  const summary::TensorStats &stats = sample.stats;
  Object object;
  object.add("name", text::jsonString(tap.tensor.name));
  object.add("kind", text::jsonString(nameOf(tap.tensor.kind)));
  object.add("at", text::jsonString(nameOf(tap.tensor.moment)));
  object.add("update", std::to_string(update.value()));
  if (tap.origin) {
    object.count("replica", tap.origin->replica);
    object.count("micro_batch", tap.origin->microBatch);
  }
  object.add("dtype", text::jsonString(tap.tensor.dtype));
  object.add("shape", arrayJson(tap.tensor.shape, [](std::size_t dimension) {
               return std::to_string(dimension);
             }));
  object.count("samples", sample.parts);
  object.count("count", stats.count);
  object.count(Statistic::nan, stats.nan);
  object.count(Statistic::posInf, stats.posInf);
  object.count(Statistic::negInf, stats.negInf);
  object.count(Statistic::saturated, stats.saturated);
  object.number(Statistic::absMax, sample);
  object.element("first_bad", stats.firstBad, tap.tensor.shape);
  if (sample.payload >= Payload::stats)
    addStats(object, sample, tap.tensor.shape);
  object.number(Statistic::skewness, sample);
  object.number(Statistic::kurtosis, sample);
  if (sample.hasShape() && stats.finite() != 0)
    object.add("histogram", histogramJson(histogramOf(sample)));
  if (sample.payload == Payload::identity) {
    object.add("hash", hashJson(sample.hash));
    object.add("sketch", arrayJson(sample.sketch, [](float sum) {
                 return text::jsonNumber(double(sum));
               }));
  }
  lines().append(summary::Step(update.value()), object.text());
}

void JsonLines::takeVerdict(const Verdict &verdict) {
  lines().append(summary::Step(verdict.update.value()),
                 "{\"first_not_finite\": " + toJson(verdict) + "}");
}

void JsonLines::takeChange(const ControlNote &note) {
  Object object;
  object.add("update", std::to_string(note.update.value()));
  object.add("control", text::jsonString(note.text));
  lines().append(summary::Step(note.update.value()), object.text());
}

void JsonLines::flush() { lines().flush(); }

void JsonLines::close(const TapReport &) { lines().close(); }

std::vector<summary::WriteReport> JsonLines::reports() const {
  if (!lines_)
    return {};
  return {lines_->report()};
}

} // namespace popscope::outfeed
