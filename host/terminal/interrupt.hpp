// Ctrl-C: the first asks to stop, the second stops at once. A terminal that is
// gone asks, too.
#pragma once

namespace popscope::host {

// While one exists, SIGINT, SIGTERM and (unless it is ignored) SIGHUP set a
// flag; a second SIGINT or SIGTERM ends the process. At most one at a time.
class InterruptGuard {
public:
  InterruptGuard();
  ~InterruptGuard(); // back to the defaults
  InterruptGuard(const InterruptGuard &) = delete;
  InterruptGuard &operator=(const InterruptGuard &) = delete;

  bool isAsked() const;
};

// What a shell reports for a program that SIGINT ended.
constexpr int kExitInterrupted = 130;

} // namespace popscope::host
