// Ctrl-C: the first press asks to stop, the second stops at once. SIGTERM
// counts as a press; a lost terminal asks without a word.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace popscope::host {

// What a shell reports for a program that SIGINT ended.
constexpr int kExitInterrupted = 130;

// While one exists, SIGINT, SIGTERM and (unless it is ignored) SIGHUP
// set a flag. SIGINT and SIGTERM are acknowledged on standard error at once; a
// second one ends the process. At most one guard at a time.
class InterruptGuard {
public:
  InterruptGuard();
  ~InterruptGuard(); // restores the default actions
  InterruptGuard(const InterruptGuard &) = delete;
  InterruptGuard &operator=(const InterruptGuard &) = delete;

  bool isAsked() const;

  // What a second press says before it ends the process: what is lost, and how
  // to go on. For one thread.
  void setLastWords(const std::string &text);

private:
  // A signal may come on any thread, at any time: the text in use is never
  // changed, the other one is.
  std::array<std::string, 2> lastWords_;
  std::size_t current_ = 0;
};

// While one exists and no InterruptGuard does, SIGINT and SIGTERM say `text`,
// remove those of `directories` that are empty, in this order, and end the
// process: for the time in which there is nothing to lose.
class StartGuard {
public:
  StartGuard(std::string text, std::vector<std::string> directories);
  ~StartGuard(); // restores the default actions
  StartGuard(const StartGuard &) = delete;
  StartGuard &operator=(const StartGuard &) = delete;

private:
  const std::string text_;
  const std::vector<std::string> directories_;
};

} // namespace popscope::host
