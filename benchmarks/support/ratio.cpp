#include "benchmarks/support/ratio.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace benchmarks {

Suite::Suite(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--quick") {
      quick_ = true;
    } else if (argument == "--list") {
      list_ = true;
    } else if (argument == "--only" && i + 1 < argc) {
      only_ = argv[++i];
    } else {
      std::cerr << "usage: " << argv[0]
                << " [--only PREFIX] [--quick] [--list]\n";
      std::exit(argument == "--help" ? 0 : 2);
    }
  }
}

bool Suite::wants(const std::string &name) const {
  if (name.compare(0, only_.size(), only_) != 0)
    return false;
  if (list_)
    std::cout << name << '\n';
  return !list_;
}

void Suite::report(const Result &result) const {
  const double ratio = result.ours / result.peer;
  const bool ok = result.better == Better::higher ? ratio >= result.goal
                                                  : ratio <= result.goal;
  std::printf("{\"name\": \"%s\", \"ours\": %.6g, \"peer\": %.6g, "
              "\"peer_name\": \"%s\", \"ratio\": %.4g, \"better\": \"%s\", "
              "\"goal\": %g, \"ok\": %s}\n",
              result.name.c_str(), result.ours, result.peer,
              result.peerName.c_str(), ratio,
              result.better == Better::higher ? "higher" : "lower", result.goal,
              ok ? "true" : "false");
  std::fflush(stdout);
}

Suite::Timed Suite::timed(std::function<void()> function) {
  return [function = std::move(function)](std::size_t calls) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < calls; ++i)
      function();
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    return took.count();
  };
}

std::vector<Suite::Timed> Suite::timed(const Functions &functions) {
  std::vector<Timed> all;
  for (const std::function<void()> &function : functions)
    all.push_back(timed(function));
  return all;
}

namespace {

double median(std::vector<double> values) {
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

} // namespace

// On a shared machine, speed changes from second to second: times of one round
// are compared only with each other.
class Suite::Rounds {
public:
  // More rounds can distinguish smaller differences from noise.
  enum class Number { few, usual, many };

  explicit Rounds(Number number)
      : turn_(number == Number::few ? 0.01 : 0.03),
        fewest_(number == Number::few ? 3 : 9),
        most_(number == Number::few     ? 3
              : number == Number::usual ? 30
                                        : 120) {}

  // Runs a part of all rounds with these functions.
  void run(const std::vector<Timed> &functions, std::size_t parts) {
    std::vector<std::size_t> calls(functions.size(), 1);
    double slowest = 0; // turn
    for (std::size_t f = 0; f < functions.size(); ++f)
      for (;; calls[f] *= 2) {
        const double took = functions[f](calls[f]);
        if (took < turn_ && calls[f] < (std::size_t(1) << 30))
          continue;
        slowest = std::max(slowest, took);
        break;
      }
    const double total = turn_ * static_cast<double>(most_);
    const std::size_t rounds =
        std::clamp(static_cast<std::size_t>(total / slowest), fewest_, most_);
    relative_.resize(functions.size());
    for (std::size_t round = 0; round < (rounds + parts - 1) / parts; ++round)
      runOne(functions, calls, round % 2 != 0);
  }

  std::vector<double> seconds() const {
    std::vector<double> result;
    for (const std::vector<double> &each : relative_)
      result.push_back(median(first_) * median(each));
    return result;
  }

private:
  // Backwards every other time: a function may leave work to other threads that
  // slows down the next one.
  void runOne(const std::vector<Timed> &functions,
              const std::vector<std::size_t> &calls, bool backwards) {
    std::vector<double> seconds(functions.size());
    for (std::size_t i = 0; i < functions.size(); ++i) {
      const std::size_t f = backwards ? functions.size() - 1 - i : i;
      seconds[f] = functions[f](calls[f]) / static_cast<double>(calls[f]);
    }
    first_.push_back(seconds[0]);
    for (std::size_t f = 0; f < functions.size(); ++f)
      relative_[f].push_back(seconds[f] / seconds[0]);
  }

  const double turn_; // seconds of a function, if it is not slow
  const std::size_t fewest_, most_;
  std::vector<double> first_; // time of the first function, by round
  std::vector<std::vector<double>>
      relative_; // times relative to it, by function and round
};

std::vector<double> Suite::time(const Functions &functions) const {
  return timeTurns(timed(functions));
}

std::vector<double>
Suite::timeAfresh(const std::function<Functions()> &make) const {
  const std::size_t times = quick_ ? 1 : 6;
  Rounds rounds(quick_ ? Rounds::Number::few : Rounds::Number::many);
  for (std::size_t i = 0; i < times; ++i)
    rounds.run(timed(make()), times);
  return rounds.seconds();
}

std::vector<double>
Suite::timeTurns(const std::vector<Timed> &functions) const {
  Rounds rounds(quick_ ? Rounds::Number::few : Rounds::Number::usual);
  rounds.run(functions, 1);
  return rounds.seconds();
}

} // namespace benchmarks
