#include "host/terminal/child_process.hpp"

#include "host/command.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <iostream>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

extern char **environ; // NOLINT(*-avoid-non-const-global-variables)

namespace popscope::host {

namespace {

[[noreturn]] void fail(const char *what) {
  throw std::system_error(errno, std::generic_category(), what);
}

class Descriptor {
public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;

  int number() const { return number_; }
  void close() {
    if (number_ >= 0)
      ::close(number_);
    number_ = -1;
  }

private:
  int number_;
};

// While one exists, signals are read from a descriptor.
class SignalReader {
public:
  SignalReader() : signals_(signalsOfInterest()), descriptor_(blocked()) {
    if (descriptor_.number() < 0)
      fail("signalfd");
  }
  ~SignalReader() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  SignalReader(const SignalReader &) = delete;
  SignalReader &operator=(const SignalReader &) = delete;

  int descriptor() const { return descriptor_.number(); }
  const sigset_t &maskBefore() const { return before_; }
  // After poll says that there is one.
  int next() const {
    signalfd_siginfo info{};
    return ::read(descriptor(), &info, sizeof info) == sizeof info
               ? int(info.ssi_signo)
               : 0;
  }

private:
  static sigset_t signalsOfInterest() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD})
      sigaddset(&signals, signal);
    return signals;
  }
  int blocked() {
    sigprocmask(SIG_BLOCK, &signals_, &before_);
    return ::signalfd(-1, &signals_, SFD_CLOEXEC);
  }

  const sigset_t signals_;
  sigset_t before_;
  Descriptor descriptor_;
};

std::vector<char *> wordsOf(const std::vector<std::string> &command) {
  std::vector<char *> words;
  for (const std::string &word : command)
    words.push_back(const_cast<char *>(word.c_str())); // exec changes nothing
  words.push_back(nullptr);
  return words;
}

int exitCodeOf(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Passes on whole lines.
class LinePipe {
public:
  explicit LinePipe(const std::function<void(const std::string &)> &afterLine)
      : afterLine_(afterLine) {}

  // False at the end.
  bool pass(int descriptor) {
    std::array<char, 4096> bytes;
    const ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
    if (count <= 0)
      return count < 0 && errno == EINTR;
    text_.append(bytes.data(), std::size_t(count));
    for (std::size_t end; (end = text_.find('\n')) != std::string::npos;) {
      const std::string line = text_.substr(0, end);
      text_.erase(0, end + 1);
      std::cerr << line << '\n' << std::flush;
      afterLine_(line);
    }
    return true;
  }
  void finish() const { std::cerr << text_ << std::flush; }

private:
  const std::function<void(const std::string &)> &afterLine_;
  std::string text_; // of the line that has not ended
};

bool isReadable(int descriptor) {
  pollfd now{descriptor, POLLIN, 0};
  return ::poll(&now, 1, 0) > 0;
}

} // namespace

std::optional<std::string> findProgram(const std::string &name) {
  const auto isProgram = [](const std::string &path) {
    struct stat file {};
    return ::stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode) &&
           ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos)
    return isProgram(name) ? std::optional(name) : std::nullopt;
  const char *const path = std::getenv("PATH");
  std::istringstream directories(path ? path : "");
  for (std::string directory; std::getline(directories, directory, ':');) {
    // An empty one is the current directory.
    const std::string file = (directory.empty() ? "." : directory) + "/" + name;
    if (isProgram(file))
      return file;
  }
  return std::nullopt;
}

int runChild(const std::vector<std::string> &command,
             const std::function<void(const std::string &line)> &afterLine) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    fail("pipe");
  Descriptor reading(ends[0]), writing(ends[1]);
  const SignalReader signals;
  const std::vector<char *> words = wordsOf(command);
  const std::string failure =
      "popscope: " + command.front() + ": cannot be executed\n";
  std::cout.flush();
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0)
    fail("fork");
  if (child == 0) { // only what is async-signal-safe, up to exec
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent)
      ::_exit(1);
    // In a process group of its own it does not get Ctrl-C, but SIGTERM from
    // its parent: Python answers Ctrl-C with where it was at that time.
    ::setpgid(0, 0);
    ::sigprocmask(SIG_SETMASK, &signals.maskBefore(), nullptr);
    ::dup2(writing.number(), STDERR_FILENO);
    ::execv(words[0], words.data());
    (void)!::write(STDERR_FILENO, failure.data(), failure.size());
    ::_exit(exitBadInput);
  }
  writing.close();
  LinePipe lines(afterLine);
  int asked = 0; // the signal by which the user asked to end
  for (bool isOpen = true;;) {
    std::array<pollfd, 2> events{{{signals.descriptor(), POLLIN, 0},
                                  {isOpen ? reading.number() : -1, POLLIN, 0}}};
    if (::poll(events.data(), events.size(), -1) < 0 && errno != EINTR)
      fail("poll");
    if (events[1].revents != 0)
      isOpen = lines.pass(reading.number());
    if (events[0].revents == 0)
      continue;
    const int signal = signals.next();
    if (signal != 0 && signal != SIGCHLD) {
      ::kill(child, asked == 0 ? SIGTERM : SIGKILL);
      asked = signal;
    }
    int status = 0;
    if (::waitpid(child, &status, WNOHANG) != child)
      continue;
    // Not up to the end: what the child has started may keep the pipe open.
    while (isOpen && isReadable(reading.number()))
      isOpen = lines.pass(reading.number());
    lines.finish();
    return asked == 0 ? exitCodeOf(status) : 128 + asked;
  }
}

int runQuietly(const std::vector<std::string> &command) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY,
                                     0);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, command.front().c_str(), &actions,
                                  nullptr, wordsOf(command).data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw std::system_error(error, std::generic_category(), command.front());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return exitCodeOf(status);
}

} // namespace popscope::host
