// A peer in a process of its own that takes turns with us: told a number of
// calls, it makes them and says how long they took. See peers/turns.py.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <sys/types.h>

namespace benchmarks {

class PeerProcess {
public:
  // Runs benchmarks/peers/<script> with the interpreter POPSCOPE_PEER_PYTHON
  // names, else python3. Throws std::runtime_error if it does not come up.
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
