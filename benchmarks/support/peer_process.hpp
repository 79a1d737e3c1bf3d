// A peer in a separate process that takes turns with us: it receives a number
// of calls, makes them and replies with the time they took. See peers/turns.py.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <sys/types.h>

namespace benchmarks {

class PeerProcess {
public:
  // Runs benchmarks/peers/<script> with the interpreter in
  // POPSCOPE_PEER_PYTHON, or else python3. Throws std::runtime_error if it does
  // not start.
  PeerProcess(const std::string &script, const std::string &argument);
  ~PeerProcess();
  PeerProcess(const PeerProcess &) = delete;
  PeerProcess &operator=(const PeerProcess &) = delete;

  const std::string &name() const { return name_; } // with its settings
  double seconds(std::size_t calls);

private:
  std::string readLine();

  std::string script_;
  pid_t pid_ = -1;
  std::FILE *to_ = nullptr;
  std::FILE *from_ = nullptr;
  std::string name_;
};

} // namespace benchmarks
