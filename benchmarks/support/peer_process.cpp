#include "benchmarks/support/peer_process.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace benchmarks {

PeerProcess::PeerProcess(const std::string &script, const std::string &argument)
    : script_(script) {
  std::array<int, 2> in{}, out{};
  if (pipe(in.data()) != 0 || pipe(out.data()) != 0)
    throw std::runtime_error("no pipe to a peer");
  const char *const chosen = std::getenv("POPSCOPE_PEER_PYTHON");
  const std::string python = chosen ? chosen : "python3";
  const std::string path = std::string(POPSCOPE_PEERS_DIR) + "/" + script;
  std::signal(SIGPIPE, SIG_IGN);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    for (const int fd : {in[0], in[1], out[0], out[1]})
      close(fd);
    execlp(python.c_str(), python.c_str(), path.c_str(), argument.c_str(),
           static_cast<char *>(nullptr));
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  to_ = fdopen(in[1], "w");
  from_ = fdopen(out[0], "r");
  name_ = readLine();
}

PeerProcess::~PeerProcess() {
  std::fclose(to_); // it ends at the end of its input
  std::fclose(from_);
  waitpid(pid_, nullptr, 0);
}

double PeerProcess::seconds(std::size_t calls) {
  std::fprintf(to_, "%zu\n", calls);
  std::fflush(to_);
  return std::stod(readLine());
}

std::string PeerProcess::readLine() {
  std::array<char, 256> line{};
  if (!std::fgets(line.data(), static_cast<int>(line.size()), from_))
    throw std::runtime_error("peer " + script_ +
                             " does not answer; set POPSCOPE_PEER_PYTHON to "
                             "an interpreter that has its packages");
  std::string text = line.data();
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
}

} // namespace benchmarks
