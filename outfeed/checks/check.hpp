// What is wrong with a training although every number is finite: the base of
// all checks. Checks are pure: what one says depends on the observations it was
// given and on its settings, so that a training and its log give the same.
#pragma once

#include "outfeed/checks/observation.hpp"
#include "outfeed/rules/tap_rule.hpp"

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace popscope::outfeed {

// A threshold of a check, by the name that a file of checks gives it.
struct Setting {
  const char *name;
  double *value; // the check's own
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  bool isWhole = false;
};
constexpr double kMostSamples = 1e9;

inline Setting share(const char *name, double &value) {
  return {name, &value, 0, 1};
}
inline Setting count(const char *name, double &value) {
  return {name, &value, 1, kMostSamples, true};
}
inline Setting factor(const char *name, double &value) {
  return {name, &value, 1};
}
inline Setting positive(const char *name, double &value) {
  return {name, &value};
}

// What a check objects to at one update.
struct Violation {
  const Series *series;
  double value = 0;
};

class Check {
public:
  virtual ~Check() = default;

  virtual const char *name() const = 0;
  // Which tensors it watches unless told otherwise: a filter.
  virtual const char *defaultTensors() const = 0;
  virtual std::vector<Setting> settings() = 0;
  // The tap rule that gives it what it needs.
  virtual std::string tap() const { return tensors_.text() + " -> stats"; }

  // Whether a program of this kind can have what it looks for.
  virtual bool isApplicable(const ProgramFacts &) const { return true; }
  virtual void begin(const ProgramFacts &) {}
  // What holds at this update. Updates ascend; not every tensor is in each.
  virtual std::vector<Violation> look(const UpdateObservations &update) = 0;
  // In words, right after the look that returned it.
  virtual std::string describe(const Violation &violation) const = 0;
  // Why the check could not say anything so far, and what to do about it; empty
  // if it could.
  virtual std::string lacking() const;

  // A number worth a chart, and its name.
  struct Measure {
    const char *name;
    double value;
    std::string text;
  };
  virtual std::optional<Measure> measure() const { return std::nullopt; }

  // Whether there was something to check so far.
  bool hasSeen() const { return hasSeen_; }
  const TensorFilter &tensors() const { return tensors_; }
  void setTensors(TensorFilter filter) { tensors_ = std::move(filter); }

protected:
  bool watches(const Series &series);
  // The statistic of a watched tensor, if it is known and finite. Notes that
  // there was something to check.
  std::optional<double> read(const Observed &observed, Statistic statistic);
  void noteSeen() { hasSeen_ = true; }

private:
  TensorFilter tensors_;
  std::vector<std::optional<bool>> isWatched_; // by the number of the series
  bool hasSeen_ = false;
};

} // namespace popscope::outfeed
