// Ours against a named peer, measured in one run: absolute times mean little,
// so every benchmark reports a ratio. Programs print one JSON object per line;
// scripts/bench makes the table.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace benchmarks {

enum class Better { higher, lower };

struct Result {
  std::string name; // area/what
  double ours;
  double peer;
  std::string peerName;
  Better better;
  double goal; // for ours / peer
};

class Suite {
public:
  // Understands --only PREFIX, --quick, --list and --help.
  Suite(int argc, char **argv);

  // False if the benchmark was not asked for.
  bool wants(const std::string &name) const;
  bool quick() const { return quick_; }
  void report(const Result &result) const;

  // Seconds per call of each function, from rounds in which all of them take
  // turns: their proportions are medians of those of the rounds. A turn repeats
  // a function until it has run long enough to be timed.
  using Functions = std::vector<std::function<void()>>;
  std::vector<double> time(const Functions &functions) const;
  // The same for small differences: in more rounds, and with functions that
  // `make` makes afresh a few times, since what they use may lie well or badly
  // in memory for as long as it lives.
  std::vector<double> timeAfresh(const std::function<Functions()> &make) const;
  // The same for functions that make a number of calls and say how many seconds
  // they took.
  using Timed = std::function<double(std::size_t calls)>;
  std::vector<double> timeTurns(const std::vector<Timed> &functions) const;
  static Timed timed(std::function<void()> function);

private:
  class Rounds;
  static std::vector<Timed> timed(const Functions &functions);

  std::string only_;
  bool quick_ = false;
  bool list_ = false;
};

} // namespace benchmarks
