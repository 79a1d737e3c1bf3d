#include "host/terminal/interrupt.hpp"

#include <csignal>
#include <initializer_list>
#include <unistd.h>

namespace popscope::host {

namespace {

// A handler can reach nothing but a global.
volatile std::sig_atomic_t asked = // NOLINT(*-avoid-non-const-global-variables)
    0;

void ask(int) { asked = 1; }

void askOrEnd(int signal) {
  if (asked)
    _exit(kExitInterrupted);
  ask(signal);
}

bool isIgnored(int signal) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

} // namespace

InterruptGuard::InterruptGuard() {
  asked = 0;
  handle(SIGINT, askOrEnd);
  handle(SIGTERM, askOrEnd);
  if (!isIgnored(SIGHUP)) // as nohup has it
    handle(SIGHUP, ask);
}

InterruptGuard::~InterruptGuard() {
  for (const int signal : {SIGINT, SIGTERM})
    handle(signal, SIG_DFL);
  if (!isIgnored(SIGHUP))
    handle(SIGHUP, SIG_DFL);
}

bool InterruptGuard::isAsked() const { return asked != 0; }

} // namespace popscope::host
