#include "host/interrupt.hpp"

#include <csignal>
#include <unistd.h>

namespace popscope::host {

namespace {

// A handler can reach nothing but a global.
volatile std::sig_atomic_t asked = // NOLINT(*-avoid-non-const-global-variables)
    0;

void ask(int) {
  if (asked)
    _exit(kExitInterrupted);
  asked = 1;
}

void handleWith(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

} // namespace

InterruptGuard::InterruptGuard() {
  asked = 0;
  handleWith(ask);
}

InterruptGuard::~InterruptGuard() { handleWith(SIG_DFL); }

bool InterruptGuard::isAsked() const { return asked != 0; }

} // namespace popscope::host
