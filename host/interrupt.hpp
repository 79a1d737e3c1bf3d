// Ctrl-C: the first asks to stop, the second stops at once.
#pragma once

namespace popscope::host {

// While one exists, SIGINT and SIGTERM set a flag; a second signal ends the
// process. At most one at a time.
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
