#include "outfeed/control/control_server.hpp"

#include "outfeed/control/control_message.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace popscope::outfeed {

namespace {

constexpr std::chrono::milliseconds kPatience(2000); // with a slow client

[[noreturn]] void fail(const std::string &path, const std::string &reason) {
  throw std::runtime_error("[outfeed] " + path + "/" + kControlSocket + ": " +
                           reason);
}

ControlReply refusal(const std::string &reason) {
  ControlReply reply;
  reply.refusal = reason;
  return reply;
}

} // namespace

ControlServer::ControlServer(TapControl &control, const std::string &directory,
                             uid_t owner)
    : control_(control), owner_(owner), directory_(openDirectory(directory)),
      socket_(newSocket()), stop_(::eventfd(0, EFD_CLOEXEC)) {
  if (!directory_.isValid() || !socket_.isValid() || !stop_.isValid())
    fail(directory, std::strerror(errno));
  listenIn(directory);
  thread_ = std::thread([this] { run(); });
}

void ControlServer::listenIn(const std::string &path) {
  struct stat status {};
  if (::fstat(directory_.number(), &status) != 0)
    fail(path, std::strerror(errno));
  const bool isSticky = (status.st_mode & S_ISVTX) != 0;
  if ((status.st_mode & S_IWOTH) != 0 && !isSticky)
    fail(path, "every user may write to the directory");
  if (connectTo(directory_, newSocket()))
    fail(path, "another program listens there");
  if (errno == ECONNREFUSED) // left by a program that was killed
    ::unlinkat(directory_.number(), kControlSocket, 0);
  const sockaddr_un address = addressIn(directory_);
  // Nobody can connect before it listens, and then it is the owner's alone.
  if (::bind(socket_.number(), reinterpret_cast<const sockaddr *>(&address),
             sizeof address) != 0 ||
      ::fchmodat(directory_.number(), kControlSocket, S_IRUSR | S_IWUSR, 0) !=
          0 ||
      ::listen(socket_.number(), 8) != 0)
    fail(path, std::strerror(errno));
}

ControlServer::~ControlServer() {
  isStopping_ = true;
  const std::uint64_t one = 1;
  (void)!::write(stop_.number(), &one, sizeof one);
  thread_.join();
  ::unlinkat(directory_.number(), kControlSocket, 0);
}

void ControlServer::run() {
  while (!isStopping_) {
    pollfd waiting[] = {{socket_.number(), POLLIN, 0},
                        {stop_.number(), POLLIN, 0}};
    if (::poll(waiting, 2, -1) < 0 && errno != EINTR)
      return;
    if ((waiting[0].revents & POLLIN) == 0)
      continue;
    const Descriptor client(
        ::accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (client.isValid())
      serve(client);
  }
}

void ControlServer::serve(const Descriptor &client) {
  // One that does not read its reply is not waited for.
  const timeval patience{kPatience.count() / 1000, 0};
  ::setsockopt(client.number(), SOL_SOCKET, SO_SNDTIMEO, &patience,
               sizeof patience);
  (void)writeLine(client, toJson(replyTo(client)));
}

ControlReply ControlServer::replyTo(const Descriptor &client) {
  if (userOf(client) != owner_)
    return refusal("this program belongs to another user");
  std::string line;
  switch (readLine(client, kMostRequestBytes, kPatience, line)) {
  case Line::torn:
    return refusal("the request has no end");
  case Line::tooLong:
    return refusal("the request is longer than " +
                   std::to_string(kMostRequestBytes) + " bytes");
  case Line::whole:
    break;
  }
  try {
    return control_.answer(parseControlRequest(line),
                           [this] { return isStopping_.load(); });
  } catch (const std::exception &error) {
    return refusal(error.what());
  }
}

} // namespace popscope::outfeed
