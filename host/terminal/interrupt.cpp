#include "host/terminal/interrupt.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <initializer_list>
#include <unistd.h>
#include <utility>

namespace popscope::host {

namespace {

// A handler can reach nothing but globals, and may call only what POSIX lists
// as async-signal-safe, such as write, rmdir and _exit.
// NOLINTBEGIN(*-avoid-non-const-global-variables)
std::atomic<bool> asked{false};
std::atomic<bool> pressed{false};
std::atomic<const std::string *> lastWords{nullptr};
std::atomic<const std::vector<std::string> *> newDirectories{nullptr};
// NOLINTEND(*-avoid-non-const-global-variables)

void say(const char *text, std::size_t size) {
  while (size != 0) {
    const ssize_t written = ::write(STDERR_FILENO, text, size);
    if (written <= 0)
      return; // nobody is there to be told
    text += written;
    size -= std::size_t(written);
  }
}

void say(const char *text) { say(text, std::strlen(text)); }

// Whatever the line had: a bar, and the ^C that terminals echo.
void wipeLine() {
  if (isatty(STDERR_FILENO))
    say("\r\x1b[K");
}

[[noreturn]] void sayLastWordsAndEnd() {
  wipeLine();
  if (const std::string *words = lastWords)
    say(words->data(), words->size());
  _exit(kExitInterrupted);
}

void ask(int) { asked = true; }

void askOrEnd(int signal) {
  if (pressed.exchange(true))
    sayLastWordsAndEnd();
  const int interrupted = errno; // whose code goes on after this
  asked = true;
  wipeLine();
  say(signal == SIGINT
          ? "stopping after this execution ... press Ctrl-C again to stop at "
            "once\n"
          : "stopping after this execution ... a second signal stops at "
            "once\n");
  errno = interrupted;
}

void endAtOnce(int) {
  if (const std::vector<std::string> *directories = newDirectories)
    for (const std::string &directory : *directories)
      ::rmdir(directory.c_str()); // fails if it is not empty, as it should
  sayLastWordsAndEnd();
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
  asked = false;
  pressed = false;
  handle(SIGINT, askOrEnd);
  handle(SIGTERM, askOrEnd);
  if (!isIgnored(SIGHUP)) // as under nohup
    handle(SIGHUP, ask);
}

InterruptGuard::~InterruptGuard() {
  for (const int signal : {SIGINT, SIGTERM})
    handle(signal, SIG_DFL);
  if (!isIgnored(SIGHUP))
    handle(SIGHUP, SIG_DFL);
  lastWords = nullptr;
}

bool InterruptGuard::isAsked() const { return asked; }

void InterruptGuard::setLastWords(const std::string &text) {
  current_ = 1 - current_;
  lastWords_[current_] = text;
  lastWords = &lastWords_[current_];
}

StartGuard::StartGuard(std::string text, std::vector<std::string> directories)
    : text_(std::move(text)), directories_(std::move(directories)) {
  lastWords = &text_;
  newDirectories = &directories_;
  handle(SIGINT, endAtOnce);
  handle(SIGTERM, endAtOnce);
}

StartGuard::~StartGuard() {
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
  lastWords = nullptr;
  newDirectories = nullptr;
}

} // namespace popscope::host
