#include "outfeed/control/control_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace popscope::outfeed {

Descriptor::~Descriptor() {
  if (isValid())
    ::close(number_);
}

Descriptor openDirectory(const std::string &path) {
  return Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

Descriptor newSocket() {
  return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

sockaddr_un addressIn(const Descriptor &directory) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path,
                "/proc/self/fd/%d/%s", directory.number(), kControlSocket);
  return address;
}

bool connectTo(const Descriptor &directory, const Descriptor &socket) {
  const sockaddr_un address = addressIn(directory);
  return ::connect(socket.number(),
                   reinterpret_cast<const sockaddr *>(&address),
                   sizeof address) == 0;
}

uid_t userOf(const Descriptor &socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket.number(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return uid_t(-1);
  return peer.uid;
}

Line readLine(const Descriptor &socket, std::size_t mostBytes,
              std::chrono::milliseconds patience, std::string &line) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + patience;
  line.clear();
  while (line.size() < mostBytes) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - Clock::now());
    pollfd waiting{socket.number(), POLLIN, 0};
    const int ready =
        ::poll(&waiting, 1, int(std::max<long long>(0, left.count())));
    if (ready < 0 && errno == EINTR)
      continue;
    char bytes[4096];
    const ssize_t count =
        ready > 0 ? ::recv(socket.number(), bytes,
                           std::min(sizeof bytes, mostBytes - line.size()), 0)
                  : 0;
    if (count <= 0)
      return Line::torn;
    const char *const lineEnd = std::find(bytes, bytes + count, '\n');
    line.append(bytes, std::size_t(lineEnd - bytes));
    if (lineEnd != bytes + count)
      return Line::whole;
  }
  return Line::tooLong;
}

bool writeLine(const Descriptor &socket, std::string_view line) {
  std::string left(line);
  left += '\n';
  while (!left.empty()) {
    const ssize_t count =
        ::send(socket.number(), left.data(), left.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    left.erase(0, std::size_t(count));
  }
  return true;
}

} // namespace popscope::outfeed
