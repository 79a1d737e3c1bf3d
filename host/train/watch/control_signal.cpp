#include "host/train/watch/control_signal.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <unistd.h>

namespace popscope::host {

namespace {

// A handler can reach nothing but globals.
// NOLINTNEXTLINE(*-avoid-non-const-global-variables)
std::atomic<outfeed::TapControl *> controlled{nullptr};

void askEverything(int) {
  if (outfeed::TapControl *const control = controlled) {
    control->askEverythingOnce();
    return;
  }
  const int interrupted = errno; // whose code goes on after this
  constexpr std::string_view kText =
      "popscope: SIGUSR1: there is no tap that can be turned on; start the "
      "training with --tap RULE\n";
  (void)!::write(STDERR_FILENO, kText.data(), kText.size());
  errno = interrupted;
}

void handle(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
}

} // namespace

ControlSignal::ControlSignal(outfeed::TapControl *control) {
  controlled = control;
  handle(askEverything);
}

ControlSignal::~ControlSignal() {
  handle(SIG_IGN);
  controlled = nullptr;
}

} // namespace popscope::host
