// The HParams page: what was varied between runs, and how each run ended.
#pragma once

#include "summary/tag.hpp"
#include "summary/types.hpp"
#include "summary/values/value.hpp"

#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace popscope::summary {

// A flag, a number of any type, or text. A plain variant of these would refuse
// an int and, with compilers before GCC 10, take a literal for a flag.
class HParam {
public:
  // Not explicit, so that a list of parameters reads {{"layers", 3}, ...}.
  template <class Number,
            class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  HParam(Number number) { // NOLINT(google-explicit-constructor)
    if constexpr (std::is_same_v<Number, bool>)
      value_ = number;
    else
      value_ = static_cast<double>(number);
  }
  HParam(std::string text) // NOLINT(google-explicit-constructor)
      : value_(std::move(text)) {}
  HParam(const char *text) // NOLINT(google-explicit-constructor)
      : value_(std::string(text)) {}

  const std::variant<bool, double, std::string> &value() const {
    return value_;
  }

private:
  std::variant<bool, double, std::string> value_;
};
using HParams = std::map<std::string, HParam>;

// One run with its hyperparameters. Runs with the same group name are shown as
// one row; without a name, each run is a row. Non-finite numbers are
// written as text, since the page cannot send them.
struct SessionStart {
  HParams hparams;
  std::string groupName;
  WallTime started = systemTime();
};

enum class SessionStatus { unknown, success, failure, running };

// A session without an end is shown as running.
struct SessionEnd {
  SessionStatus status = SessionStatus::success;
  WallTime ended = systemTime();
};

// Describes hyperparameters and metrics once, for all runs below the directory
// it is written to. It is seldom needed: without it the page finds both in the
// runs themselves, and what it leaves out is never shown.
struct Experiment {
  struct HParamInfo {
    std::string name;
    std::string displayName;
    std::string description;
    std::vector<HParam> domain; // the values it can take; empty if any
  };
  struct MetricInfo {
    Tag tag;           // of a scalar
    std::string group; // run below the session's run; "" is the session's
    std::string displayName;
  };
  std::vector<HParamInfo> hparams;
  std::vector<MetricInfo> metrics;
};

Value toValue(const SessionStart &start);
Value toValue(const SessionEnd &end);
Value toValue(const Experiment &experiment);

// The tags the page looks for.
const Tag &sessionStartTag();
const Tag &sessionEndTag();
const Tag &experimentTag();

} // namespace popscope::summary
