// Compares our code with a named peer in one run. Absolute times mean little,
// so every benchmark reports a ratio. Programs print one JSON object per line,
// from which scripts/bench makes the table.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace benchmarks {

enum class Better { higher, lower };

struct Result {
  std::string name; // area/subject
  double ours;
  double peer;
  std::string peerName;
  Better better;
  double goal; // for ours / peer
};

class Suite {
public:
  // Accepts --only PREFIX, --quick, --list and --help.
  Suite(int argc, char **argv);

  // False if the benchmark is not selected.
  bool wants(const std::string &name) const;
  bool quick() const { return quick_; }
  void report(const Result &result) const;

  // Seconds per call of each function, from rounds in which all of them take
  // turns: their ratios are the medians over the rounds. A turn repeats a
  // function until it has run long enough to be timed.
  using Functions = std::vector<std::function<void()>>;
  std::vector<double> time(const Functions &functions) const;
  // The same for small differences: with more rounds, and with functions that
  // `make` creates anew a few times, since memory placement can favour or slow
  // down an object for its whole life.
  std::vector<double> timeAfresh(const std::function<Functions()> &make) const;
  // The same for functions that make a number of calls and return the seconds
  // these took.
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
