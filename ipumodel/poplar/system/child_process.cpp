#include "poplar/system/child_process.hpp"

#include "poplar/system/memory_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace ipumodel {
namespace {

[[noreturn]] void fail(int error, const std::string &what) {
  throw std::system_error(error, std::generic_category(), what);
}

class Descriptor {
public:
  Descriptor() = default;
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() { close(); }

  int get() const { return fd_; }
  bool isOpen() const { return fd_ >= 0; }
  void reset(int fd) {
    close();
    fd_ = fd;
  }
  void close() {
    if (isOpen())
      ::close(fd_);
    fd_ = -1;
  }

private:
  int fd_ = -1;
};

struct Pipe {
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      fail(errno, "pipe");
    read.reset(ends[0]);
    write.reset(ends[1]);
  }
  Descriptor read, write;
};

class SpawnActions {
public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  SpawnActions(const SpawnActions &) = delete;
  SpawnActions &operator=(const SpawnActions &) = delete;
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }

  void redirect(int from, int to) {
    posix_spawn_file_actions_adddup2(&actions_, from, to);
  }
  const posix_spawn_file_actions_t *get() const { return &actions_; }

private:
  posix_spawn_file_actions_t actions_;
};

// Appends the data available now; closes at the end of the stream.
void drain(Descriptor &from, std::string &to) {
  char buffer[1 << 16];
  const auto count = ::read(from.get(), buffer, sizeof buffer);
  if (count > 0)
    to.append(buffer, static_cast<std::size_t>(count));
  else if (count == 0 || errno != EINTR)
    from.close();
}

int waitFor(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      fail(errno, "waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

ChildResult runChild(const std::vector<std::string> &arguments,
                     std::string_view input) {
  // A file instead of a pipe, which would have to be fed while the child runs.
  const MemoryFile in(input);
  Pipe out, err;
  SpawnActions actions;
  actions.redirect(in.descriptor(), STDIN_FILENO);
  actions.redirect(out.write.get(), STDOUT_FILENO);
  actions.redirect(err.write.get(), STDERR_FILENO);

  std::vector<char *> argv;
  argv.reserve(arguments.size() + 1);
  for (const auto &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child;
  if (const int error = posix_spawnp(&child, argv[0], actions.get(), nullptr,
                                     argv.data(), environ))
    fail(error, "cannot run " + arguments[0]);
  out.write.close();
  err.write.close();

  ChildResult result{};
  while (out.read.isOpen() || err.read.isOpen()) {
    // poll() ignores negative descriptors, and closed ones are negative.
    pollfd polls[] = {{out.read.get(), POLLIN, 0}, {err.read.get(), POLLIN, 0}};
    if (poll(polls, 2, -1) < 0 && errno != EINTR)
      break;
    if (polls[0].revents)
      drain(out.read, result.output);
    if (polls[1].revents)
      drain(err.read, result.errors);
  }
  result.exitCode = waitFor(child);
  return result;
}

std::string findProgram(const std::string &program) {
  if (program.find('/') != std::string::npos)
    return access(program.c_str(), X_OK) == 0 ? program : std::string();
  const char *path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const auto end = rest.find(':');
    std::string file = std::string(rest.substr(0, end)) + "/" + program;
    if (access(file.c_str(), X_OK) == 0)
      return file;
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  return {};
}

} // namespace ipumodel
