// Runs a function in a child process that is killed at a chosen moment: before
// one of its system calls, which are the only moments that files can tell.
#pragma once

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <exception>
#include <functional>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace popscope::tests {

struct KilledChild {
  bool finished = false;            // before it could be killed
  std::vector<std::uint64_t> calls; // the system calls made, by their numbers
};

// Kills the child before its system call number `at`, counted from 0.
inline KilledChild runAndKill(const std::function<void()> &work,
                              std::size_t at) {
  const pid_t child = ::fork();
  if (child < 0)
    throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
    try {
      work();
    } catch (const std::exception &) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr,
           reinterpret_cast<void *>(PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD));
  KilledChild result;
  for (bool isEntry = true;; isEntry = !isEntry) {
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    ::waitpid(child, &status, 0);
    if (!WIFSTOPPED(status)) {
      result.finished = WIFEXITED(status) && WEXITSTATUS(status) == 0;
      return result;
    }
    if (!isEntry)
      continue;
    if (result.calls.size() == at) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return result;
    }
    __ptrace_syscall_info info{};
    ::ptrace(PTRACE_GET_SYSCALL_INFO, child,
             reinterpret_cast<void *>(sizeof info), &info);
    result.calls.push_back(info.entry.nr);
  }
}

} // namespace popscope::tests
