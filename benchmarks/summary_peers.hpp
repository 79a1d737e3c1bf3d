// Peers that run as separate programs.
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace benchmarks {

// The number a command prints; empty, with a message on standard error, if it
// fails.
inline std::optional<double> programPeer(const std::string &command,
                                         const std::string &name) {
  FILE *const pipe = popen((command + " 2>/dev/null").c_str(), "r");
  std::array<char, 64> line{};
  const bool printed =
      pipe && std::fgets(line.data(), int(line.size()), pipe) != nullptr;
  if (pipe && pclose(pipe) == 0 && printed)
    return std::strtod(line.data(), nullptr);
  std::cerr << "left out: peer " << name << '\n';
  return std::nullopt;
}

// The result of summary_peers.py for a job. POPSCOPE_PEER_PYTHON is an
// interpreter that has the packages it needs.
inline std::optional<double>
pythonPeer(const std::string &job, const std::string &directory, bool quick) {
  const char *const chosen = std::getenv("POPSCOPE_PEER_PYTHON");
  return programPeer("TF_CPP_MIN_LOG_LEVEL=3 " +
                         std::string(chosen ? chosen : "python3") +
                         " " POPSCOPE_PEERS " " + job + " " + directory +
                         (quick ? " --quick" : ""),
                     job + " (set POPSCOPE_PEER_PYTHON to an interpreter "
                           "that has it)");
}

struct Speeds {
  double ours;
  double theirs;
};

// Medians of speeds measured in turns, so that a busy machine slows down both;
// empty if the peer fails.
inline std::optional<Speeds>
measureInTurns(const std::function<double()> &ours,
               const std::function<std::optional<double>()> &theirs) {
  constexpr std::size_t kRounds = 3;
  std::vector<double> mine, others;
  while (mine.size() < kRounds) {
    mine.push_back(ours());
    const auto other = theirs();
    if (!other)
      return std::nullopt;
    others.push_back(*other);
  }
  std::sort(mine.begin(), mine.end());
  std::sort(others.begin(), others.end());
  return Speeds{mine[kRounds / 2], others[kRounds / 2]};
}

} // namespace benchmarks
