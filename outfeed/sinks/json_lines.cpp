#include "outfeed/sinks/json_lines.hpp"

#include "outfeed/element_coordinates.hpp"
#include "text/number_text.hpp"
#include "text/quoting.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string_view>

namespace popscope::outfeed {

namespace fs = std::filesystem;

namespace {

class Object {
public:
  void add(const char *key, const std::string &json) {
    text_ +=
        (text_.empty() ? "{\"" : ", \"") + std::string(key) + "\": " + json;
  }
  void number(const char *key, double value) {
    add(key, text::jsonNumber(value));
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

// A line that a kill cut off before its step is of no step to keep.
std::int64_t stepOf(const std::string &line) {
  constexpr std::string_view kKey = "\"step\": ";
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

void addStats(Object &object, const summary::TensorStats &stats,
              const std::vector<std::size_t> &shape) {
  object.count("zero", stats.zero);
  object.count("positive", stats.positive);
  object.count("subnormal", stats.subnormal);
  if (stats.finite() == 0)
    return;
  object.number("mean", stats.mean);
  object.number("std", stats.standardDeviation());
  object.number("min", stats.min);
  object.number("max", stats.max);
  object.element("arg_min", stats.argMin, shape);
  object.element("arg_max", stats.argMax, shape);
  object.number("l2_norm", stats.l2Norm());
  object.number("mean_abs", stats.meanAbs());
}

} // namespace

JsonLines::JsonLines(const std::string &path)
    : path_(path), file_(path, std::ios::app), out_(file_) {
  if (!file_)
    throw std::invalid_argument("--inspect-json " + path +
                                " cannot be written to");
}

JsonLines::JsonLines(std::ostream &standardOutput) : out_(standardOutput) {}

void JsonLines::resume(Update firstUpdate) {
  hasBegun_ = true;
  if (!fs::is_regular_file(path_))
    return;
  const std::string kept = path_ + ".new";
  {
    std::ifstream in(path_);
    std::ofstream out(kept, std::ios::trunc);
    for (std::string line; std::getline(in, line);)
      if (stepOf(line) < firstUpdate.value())
        out << line << '\n';
    if (!out.flush())
      throw std::runtime_error(kept + " cannot be written to");
  }
  fs::rename(kept, path_);
  file_ = std::ofstream(path_, std::ios::app);
}

void JsonLines::begin() {
  hasBegun_ = true;
  if (fs::is_regular_file(path_))
    fs::resize_file(path_, 0);
}

void JsonLines::take(const Tap &tap, Update update,
                     const TensorSample &sample) {
  if (!hasBegun_)
    begin();
  const summary::TensorStats &stats = sample.stats;
  Object object;
  object.add("name", text::jsonString(tap.tensor.name));
  object.add("kind", text::jsonString(nameOf(tap.tensor.kind)));
  object.add("at", text::jsonString(nameOf(tap.tensor.moment)));
  object.add("step", std::to_string(update.value()));
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
  object.count("nan", stats.nan);
  object.count("pos_inf", stats.posInf);
  object.count("neg_inf", stats.negInf);
  object.count("saturated", stats.saturated);
  object.number("abs_max", stats.absMax);
  object.element("first_bad", stats.firstBad, tap.tensor.shape);
  if (sample.payload >= Payload::stats)
    addStats(object, stats, tap.tensor.shape);
  if (sample.hasShape()) {
    object.number("skewness", stats.skewness());
    object.number("kurtosis", stats.kurtosis());
    object.add("histogram", histogramJson(octaveHistogram(sample)));
  }
  if (sample.payload == Payload::identity) {
    object.add("hash", hashJson(sample.hash));
    object.add("sketch", arrayJson(sample.sketch, [](float sum) {
                 return text::jsonNumber(double(sum));
               }));
  }
  out_ << object.text() << '\n';
}

void JsonLines::flush() {
  if (!out_.flush())
    throw std::runtime_error((path_.empty() ? "standard output" : path_) +
                             " cannot be written any more");
}

} // namespace popscope::outfeed
