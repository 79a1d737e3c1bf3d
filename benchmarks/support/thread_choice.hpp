// Peers may use one thread or all, whichever is faster on this machine at this
// moment; so may we.
#pragma once

#include "benchmarks/support/ratio.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace benchmarks {

// The engine reads this when it is created.
constexpr const char *kThreadsVariable = "IPUMODEL_THREADS";

// The results of `make` for one thread, and for the environment's number of
// threads.
template <class Make> auto forThreadChoices(Make &&make) {
  const char *const given = std::getenv(kThreadsVariable);
  const std::string before = given ? given : "";
  setenv(kThreadsVariable, "1", 1);
  auto alone = make();
  if (given)
    setenv(kThreadsVariable, before.c_str(), 1);
  else
    unsetenv(kThreadsVariable);
  std::vector<decltype(alone)> made;
  made.push_back(std::move(alone));
  made.push_back(make());
  return made;
}

// Seconds per call of the faster of the two, and of the peers, measured in
// turns.
inline std::vector<double> timeBest(const Suite &suite,
                                    const std::vector<Suite::Timed> &ours,
                                    std::vector<Suite::Timed> peers) {
  std::vector<Suite::Timed> all = ours;
  all.insert(all.end(), peers.begin(), peers.end());
  const std::vector<double> seconds = suite.timeTurns(all);
  const auto firstPeer =
      seconds.begin() + static_cast<std::ptrdiff_t>(ours.size());
  std::vector<double> result = {*std::min_element(seconds.begin(), firstPeer)};
  result.insert(result.end(), firstPeer, seconds.end());
  return result;
}

} // namespace benchmarks
