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

std::vector<double>
Suite::timeTurns(const std::vector<Timed> &functions) const {
  const double enough = quick_ ? 0.01 : 0.1;
  const int rounds = quick_ ? 3 : 9;
  std::vector<std::size_t> calls(functions.size(), 1);
  for (std::size_t f = 0; f < functions.size(); ++f)
    while (functions[f](calls[f]) < enough && calls[f] < (std::size_t(1) << 30))
      calls[f] *= 2;
  std::vector<std::vector<double>> samples(functions.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t f = 0; f < functions.size(); ++f)
      samples[f].push_back(functions[f](calls[f]) /
                           static_cast<double>(calls[f]));
  std::vector<double> medians;
  for (std::vector<double> &each : samples) {
    std::nth_element(each.begin(), each.begin() + rounds / 2, each.end());
    medians.push_back(each[static_cast<std::size_t>(rounds / 2)]);
  }
  return medians;
}

} // namespace benchmarks
