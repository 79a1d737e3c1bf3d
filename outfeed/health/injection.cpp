#include "outfeed/health/injection.hpp"

#include "outfeed/rules/tensor_traits.hpp"
#include "text/nearest_names.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <vector>

namespace popscope::outfeed {

namespace {

using graph::TapMoment;

class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}

  Injection parse() {
    const std::size_t colon = text_.find(':');
    const std::size_t at = text_.rfind('@');
    if (colon == std::string::npos || at == std::string::npos || at < colon)
      fail("is not WHAT:TENSOR@update=U, such as nan:conv_1_preacts@update=37");
    readSettings(text_.substr(at + 1));
    Injection result;
    result.text = text_;
    result.tensor = text_.substr(colon + 1, at - colon - 1);
    if (result.tensor.empty())
      fail("names no tensor");
    result.update = Update(required("update"));
    result.microBatch = optional("micro_batch").value_or(0);
    result.moment = moment();
    graph::Fault &fault = result.fault;
    fault.replica = optional("replica");
    fault.kind = kind(text_.substr(0, colon));
    if (fault.kind == FaultKind::flip)
      fault.bit = required("bit");
    if (fault.kind == FaultKind::scale)
      fault.factor = factor();
    if (const auto index = optional("index"))
      fault.index = *index;
    else if (fault.kind != FaultKind::scale)
      fault.index = 0;
    if (!settings_.empty())
      fail("has no use for " + settings_.begin()->first);
    return result;
  }

private:
  [[noreturn]] void fail(const std::string &problem) const {
    throw std::invalid_argument("[outfeed] fault '" + text_ + "' " + problem);
  }

  FaultKind kind(const std::string &word) const {
    const std::vector<std::pair<std::string, FaultKind>> kinds = {
        {"nan", FaultKind::nan},
        {"inf", FaultKind::inf},
        {"-inf", FaultKind::negativeInf},
        {"flip", FaultKind::flip},
        {"scale", FaultKind::scale}};
    for (const auto &[name, kind] : kinds)
      if (name == word)
        return kind;
    fail("is none of nan, inf, -inf, flip and scale");
  }

  void readSettings(const std::string &text) {
    const std::vector<std::string> known = {
        "update", "micro_batch", "replica", "index", "at", "bit", "factor"};
    std::size_t begin = 0;
    while (begin <= text.size()) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      const std::string setting = text.substr(begin, end - begin);
      const std::size_t equals = setting.find('=');
      if (equals == std::string::npos)
        fail("has '" + setting + "' where NAME=VALUE is expected");
      const std::string name = setting.substr(0, equals);
      if (std::find(known.begin(), known.end(), name) == known.end())
        fail("has no setting '" + name + "'; did you mean " +
             text::nearestName(name, known) + "?");
      if (!settings_.emplace(name, setting.substr(equals + 1)).second)
        fail("gives " + name + " twice");
      begin = end + 1;
    }
  }

  std::optional<std::string> take(const std::string &name) {
    const auto found = settings_.find(name);
    if (found == settings_.end())
      return std::nullopt;
    std::string value = found->second;
    settings_.erase(found);
    return value;
  }

  std::optional<unsigned> optional(const std::string &name) {
    const std::optional<std::string> value = take(name);
    if (!value)
      return std::nullopt;
    constexpr std::size_t kMostDigits = 9;
    if (value->empty() || value->size() > kMostDigits ||
        value->find_first_not_of("0123456789") != std::string::npos)
      fail("needs a number for " + name + ", not '" + *value + "'");
    return unsigned(std::stoul(*value));
  }

  unsigned required(const std::string &name) {
    const std::optional<unsigned> value = optional(name);
    if (!value)
      fail("needs " + name + "=N");
    return *value;
  }

  float factor() {
    const std::optional<std::string> value = take("factor");
    char *end = nullptr;
    const float result = value ? std::strtof(value->c_str(), &end) : 0.0f;
    if (!value || value->empty() || *end != '\0' || !std::isfinite(result))
      fail("needs factor=F, a number to multiply with");
    return result;
  }

  std::optional<TapMoment> moment() {
    const std::optional<std::string> value = take("at");
    if (!value)
      return std::nullopt;
    for (const TapMoment moment :
         {TapMoment::microBatch, TapMoment::accumulated, TapMoment::reduced,
          TapMoment::applied})
      if (*value == nameOf(moment))
        return moment;
    fail("has no moment '" + *value +
         "'; they are microBatch, accumulated, reduced and applied");
  }

  const std::string text_;
  std::map<std::string, std::string> settings_; // not yet used
};

} // namespace

Injection parseInjection(std::string_view text) { return Parser(text).parse(); }

} // namespace popscope::outfeed
