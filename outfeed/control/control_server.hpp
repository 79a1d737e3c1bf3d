// Lets other programs of the same user control the taps of this one.
#pragma once

#include "outfeed/control/control_socket.hpp"
#include "outfeed/control/tap_control.hpp"

#include <atomic>
#include <string>
#include <thread>
#include <unistd.h>

namespace popscope::outfeed {

// Listens at a socket in a directory while it exists, and answers one request
// after the other on its own thread. Only `owner` may connect: the socket is
// his alone, and who connects is checked again. What is not a whole request of
// at most kMostRequestBytes is answered with a refusal and changes nothing.
class ControlServer {
public:
  // The control outlives the server. A socket that a killed program left is
  // replaced. Throws std::runtime_error if the directory cannot be used, anyone
  // may write to it, or another program listens there.
  ControlServer(TapControl &control, const std::string &directory,
                uid_t owner = ::geteuid());
  ~ControlServer(); // removes the socket
  ControlServer(const ControlServer &) = delete;
  ControlServer &operator=(const ControlServer &) = delete;

private:
  void listenIn(const std::string &path);
  void run();
  void serve(const Descriptor &client);
  ControlReply replyTo(const Descriptor &client);

  TapControl &control_;
  const uid_t owner_;
  const Descriptor directory_;
  Descriptor socket_;
  Descriptor stop_; // readable once the thread has to end
  std::atomic<bool> isStopping_{false};
  std::thread thread_; // last: it uses all of the above
};

} // namespace popscope::outfeed
