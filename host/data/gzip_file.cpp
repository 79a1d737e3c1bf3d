#include "host/data/gzip_file.hpp"

#include "host/command.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <zlib.h>

namespace popscope::host {

namespace {

struct GzClose {
  void operator()(gzFile_s *file) const { gzclose(file); }
};

// zlib begins its messages with the name of the file.
std::string reasonIn(const std::string &message) {
  const std::size_t colon = message.rfind(": ");
  return colon == std::string::npos ? message : message.substr(colon + 2);
}

} // namespace

std::vector<std::uint8_t> readMaybeGzip(const std::string &name,
                                        std::size_t most) {
  errno = 0;
  const std::unique_ptr<gzFile_s, GzClose> file(gzopen(name.c_str(), "rb"));
  if (!file)
    throw BadInput(name + ": " +
                   (errno ? std::strerror(errno) : "out of memory"));
  gzbuffer(file.get(), 1 << 17);
  std::vector<std::uint8_t> bytes;
  constexpr std::size_t kChunk = 1 << 20;
  for (;;) {
    const std::size_t before = bytes.size();
    const std::size_t wanted = std::min(kChunk, most - before);
    bytes.resize(before + wanted);
    const int got = gzread(file.get(), bytes.data() + before, unsigned(wanted));
    int code = Z_OK;
    const char *message = gzerror(file.get(), &code);
    if (code == Z_ERRNO)
      throw BadInput(name + ": " + std::strerror(errno));
    if (code == Z_BUF_ERROR)
      throw BadInput(name + ": damaged gzip file: its end is missing");
    if (got < 0)
      throw BadInput(name + ": damaged gzip file: " + reasonIn(message));
    bytes.resize(before + std::size_t(got));
    if (std::size_t(got) < wanted || bytes.size() == most)
      return bytes;
  }
}

std::string findMaybeGzip(const std::string &file) {
  std::error_code ignored;
  const bool onlyCompressed = !std::filesystem::exists(file, ignored) &&
                              std::filesystem::exists(file + ".gz", ignored);
  return onlyCompressed ? file + ".gz" : file;
}

} // namespace popscope::host
