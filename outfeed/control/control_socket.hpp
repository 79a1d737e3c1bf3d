// The socket by which a running program is controlled: a file in a directory,
// for the programs of one user on one machine.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <sys/un.h>
#include <utility>

namespace popscope::outfeed {

constexpr char kControlSocket[] = "control";

class Descriptor {
public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor(); // closes
  Descriptor(Descriptor &&other) noexcept
      : number_(std::exchange(other.number_, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int number() const { return number_; }
  bool isValid() const { return number_ >= 0; }

private:
  int number_;
};

// Invalid if there is none; errno says why.
Descriptor openDirectory(const std::string &path);
Descriptor newSocket();
// Of the socket in a directory. It goes through the open directory, since an
// address has no room for a long path.
sockaddr_un addressIn(const Descriptor &directory);
// True if a program listens at the socket in this directory; if not, errno says
// why.
bool connectTo(const Descriptor &directory, const Descriptor &socket);
// Of the program at the other end.
uid_t userOf(const Descriptor &socket);

enum class Line { whole, torn, tooLong };
// Reads up to the first line end, which is left out. The line is torn if the
// other end closes or is silent for so long before it.
Line readLine(const Descriptor &socket, std::size_t mostBytes,
              std::chrono::milliseconds patience, std::string &line);
// False if the other end is gone.
bool writeLine(const Descriptor &socket, std::string_view line);

} // namespace popscope::outfeed
