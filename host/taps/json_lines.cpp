#include "host/taps/json_lines.hpp"

#include "host/command.hpp"
#include "host/events/text_output.hpp"

#include <stdexcept>

namespace popscope::host {

namespace {

class Object {
public:
  void add(const char *key, const std::string &json) {
    text_ +=
        (text_.empty() ? "{\"" : ", \"") + std::string(key) + "\": " + json;
  }
  void number(const char *key, double value) {
    add(key, events::jsonNumber(value));
  }
  void count(const char *key, std::uint64_t value) {
    add(key, std::to_string(value));
  }
  void index(const char *key, std::uint64_t value) {
    if (value != summary::TensorStats::kNoIndex)
      count(key, value);
  }
  std::string text() const { return text_ + "}"; }

private:
  std::string text_;
};

std::string shapeJson(const std::vector<std::size_t> &shape) {
  std::string text = "[";
  for (const std::size_t dimension : shape)
    text += (text.size() > 1 ? ", " : "") + std::to_string(dimension);
  return text + "]";
}

void addStats(Object &object, const summary::TensorStats &stats) {
  object.count("zero", stats.zero);
  object.count("positive", stats.positive);
  object.count("subnormal", stats.subnormal);
  if (stats.finite() == 0)
    return;
  object.number("mean", stats.mean);
  object.number("std", stats.standardDeviation());
  object.number("min", stats.min);
  object.number("max", stats.max);
  object.index("arg_min", stats.argMin);
  object.index("arg_max", stats.argMax);
  object.number("l2_norm", stats.l2Norm());
  object.number("mean_abs", stats.meanAbs());
}

} // namespace

JsonLines::JsonLines(const std::string &path) : path_(path), file_(path) {
  if (!file_)
    throw BadInput("--inspect-json " + path + " cannot be written to");
}

void JsonLines::take(const outfeed::Tap &tap, summary::Step step,
                     const outfeed::TensorSample &sample) {
  const summary::TensorStats &stats = sample.stats;
  Object object;
  object.add("name", events::jsonString(tap.tensor.name));
  object.add("kind", events::jsonString(outfeed::nameOf(tap.tensor.kind)));
  object.add("at", events::jsonString(outfeed::nameOf(tap.tensor.moment)));
  object.add("step", std::to_string(step.value()));
  object.add("shape", shapeJson(tap.tensor.shape));
  object.count("samples", sample.parts);
  object.count("count", stats.count);
  object.count("nan", stats.nan);
  object.count("pos_inf", stats.posInf);
  object.count("neg_inf", stats.negInf);
  object.count("saturated", stats.saturated);
  object.number("abs_max", stats.absMax);
  object.index("first_bad", stats.firstBad);
  if (sample.payload >= outfeed::Payload::stats)
    addStats(object, stats);
  if (sample.hasShape()) {
    object.number("skewness", stats.skewness());
    object.number("kurtosis", stats.kurtosis());
  }
  file_ << object.text() << '\n';
}

void JsonLines::flush() {
  if (!file_.flush())
    throw std::runtime_error(path_ + " cannot be written any more");
}

} // namespace popscope::host
