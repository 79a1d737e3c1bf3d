#include "benchmarks/ratio.hpp"

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

std::vector<double>
Suite::time(const std::vector<std::function<void()>> &functions) const {
  std::vector<Timed> all;
  for (const std::function<void()> &function : functions)
    all.push_back(timed(function));
  return timeTurns(all);
}

namespace {

double median(std::vector<double> values) {
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

} // namespace

// A machine that others use is fast and slow by turns, for seconds: what one
// round measured is only compared with what else it measured.
std::vector<double>
Suite::timeTurns(const std::vector<Timed> &functions) const {
  const double turn = quick_ ? 0.01 : 0.03;
  const double total = quick_ ? 0.03 : 0.9; // of a function, if it is not slow
  const std::size_t fewest = quick_ ? 3 : 9, most = quick_ ? 3 : 30;
  std::vector<std::size_t> calls(functions.size(), 1);
  double slowest = 0; // turn
  for (std::size_t f = 0; f < functions.size(); ++f)
    for (;; calls[f] *= 2) {
      const double took = functions[f](calls[f]);
      if (took < turn && calls[f] < (std::size_t(1) << 30))
        continue;
      slowest = std::max(slowest, took);
      break;
    }
  const std::size_t rounds =
      std::clamp(static_cast<std::size_t>(total / slowest), fewest, most);
  std::vector<double> first;
  std::vector<std::vector<double>> relative(functions.size());
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t f = 0; f < functions.size(); ++f) {
      const double seconds =
          functions[f](calls[f]) / static_cast<double>(calls[f]);
      if (f == 0)
        first.push_back(seconds);
      relative[f].push_back(seconds / first.back());
    }
  std::vector<double> result;
  for (const std::vector<double> &each : relative)
    result.push_back(median(first) * median(each));
  return result;
}

} // namespace benchmarks
