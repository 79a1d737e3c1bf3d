#include "outfeed/control/control_client.hpp"

#include "outfeed/control/control_message.hpp"
#include "outfeed/control/control_socket.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <unistd.h>

namespace popscope::outfeed {

namespace {

std::string reasonOf(int error) {
  switch (error) {
  case ENOENT:
    return "no program runs here that can be controlled";
  case ECONNREFUSED:
    return "the program that ran here was killed";
  case EACCES:
    return "the program that runs here belongs to another user";
  default:
    return std::strerror(error);
  }
}

} // namespace

ControlReply sendControl(const std::string &directory,
                         const ControlRequest &request) {
  const Descriptor opened = openDirectory(directory), socket = newSocket();
  if (!opened.isValid() || !socket.isValid())
    throw NoControl("[outfeed] " + directory + ": " + std::strerror(errno));
  if (!connectTo(opened, socket))
    throw NoControl("[outfeed] " + directory + ": " + reasonOf(errno));
  // Whoever may write to the directory could have put another socket there.
  if (userOf(socket) != ::geteuid())
    throw NoControl("[outfeed] " + directory + ": " + reasonOf(EACCES));
  std::string reply;
  constexpr std::chrono::hours kPatience(24); // for an update to begin
  if (!writeLine(socket, toJson(request)) ||
      readLine(socket, kMostReplyBytes, kPatience, reply) != Line::whole)
    throw std::runtime_error("[outfeed] " + directory +
                             ": the program ended before it answered");
  return parseControlReply(reply);
}

} // namespace popscope::outfeed
