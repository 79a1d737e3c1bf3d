#include "outfeed/sinks/npy_file.hpp"

#include "outfeed/sinks/npy_header.hpp"
#include "outfeed/sinks/private_file.hpp"
#include "summary/records/file_sink.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace popscope::outfeed {

namespace fs = std::filesystem;
using summary::SinkError;

namespace {

constexpr char kIndexHeading[] = "row,update,micro_batch,replica\n";
constexpr std::uint64_t kIndexHeadingBytes = sizeof kIndexHeading - 1;

std::string header(const TensorTraits &tensor, std::uint64_t rows) {
  std::vector<std::size_t> shape = tensor.shape;
  shape.insert(shape.begin(), std::size_t(rows));
  return npyHeader(tensor.dtype, shape);
}

int openOrThrow(const fs::path &file) {
  makePrivate(file);
  const int opened = ::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (opened == -1)
    throw std::system_error(errno, std::generic_category());
  return opened;
}

SinkError writeAt(int descriptor, std::uint64_t at, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(descriptor, bytes.data(), bytes.size(), off_t(at));
    if (written < 0 && errno != EINTR)
      return summary::errorOfErrno(errno);
    if (written > 0) {
      bytes.remove_prefix(std::size_t(written));
      at += std::uint64_t(written);
    }
  }
  return SinkError::none;
}

struct stat statusOf(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0)
    throw std::system_error(errno, std::generic_category());
  return status;
}

void require(SinkError error) {
  if (error != SinkError::none)
    throw std::runtime_error(std::string(describe(error)));
}

} // namespace

bool isDumpFile(const fs::path &file) {
  // Magic, version and length; other writers leave less room.
  const std::string array = std::string("\x93NUMPY\x01\x00", 8) +
                            char((kNpyHeaderBytes - 10) & 0xff) +
                            char((kNpyHeaderBytes - 10) >> 8);
  std::ifstream in(file, std::ios::binary);
  std::string begin(std::max<std::size_t>(array.size(), kIndexHeadingBytes),
                    ' ');
  in.read(begin.data(), std::streamsize(begin.size()));
  begin.resize(std::size_t(in.gcount()));
  return begin.empty() || begin.rfind(array, 0) == 0 || begin == kIndexHeading;
}

NpyFile::NpyFile(fs::path array, const TensorTraits &tensor)
    : path_(std::move(array)),
      indexPath_(fs::path(path_).replace_extension(".index.csv")),
      tensor_(tensor), bytesPerRow_(std::max<std::size_t>(1, tensor.bytes())) {}

NpyFile::~NpyFile() { close(); }

void NpyFile::close() {
  for (int *const descriptor : {&array_, &index_})
    if (const int open = std::exchange(*descriptor, kNone); open != kNone)
      ::close(open);
}

// Those that both files have whole.
NpyFile::Kept NpyFile::rowsBefore(Update firstUpdate) const {
  std::error_code missing;
  const std::uintmax_t arrayBytes = fs::file_size(path_, missing);
  if (missing || arrayBytes < kNpyHeaderBytes + bytesPerRow_)
    return {};
  std::ifstream index(indexPath_, std::ios::binary);
  std::string line;
  if (!std::getline(index, line))
    throw std::runtime_error(
        path_.string() + " has rows of an earlier start, but " +
        indexPath_.filename().string() +
        ", which says of which updates, is missing; move it elsewhere");
  Kept kept{0, line.size() + 1};
  const std::uint64_t mostRows = (arrayBytes - kNpyHeaderBytes) / bytesPerRow_;
  while (kept.rows < mostRows && std::getline(index, line) && !index.eof()) {
    const std::size_t update = line.find(',') + 1; // the second number
    if (std::strtoull(line.c_str() + update, nullptr, 10) >=
        firstUpdate.value())
      break;
    ++kept.rows;
    kept.indexBytes += line.size() + 1;
  }
  return kept;
}

void NpyFile::open(Update firstUpdate) {
  openAfter(firstUpdate == Update(0) ? Kept{} : rowsBefore(firstUpdate));
}

void NpyFile::reopen() { openAfter({rows_, indexBytes_}); }

void NpyFile::openAfter(const Kept &kept) {
  fs::create_directories(path_.parent_path());
  try {
    array_ = openOrThrow(path_);
    index_ = openOrThrow(indexPath_);
    const bool hasAll =
        std::uint64_t(statusOf(array_).st_size) >=
            kNpyHeaderBytes + kept.rows * bytesPerRow_ &&
        std::uint64_t(statusOf(index_).st_size) >= kept.indexBytes;
    rows_ = hasAll ? kept.rows : 0;
    indexBytes_ = rows_ == 0 ? 0 : kept.indexBytes;
    // First: a kill in between leaves too much, not too little.
    require(writeAt(array_, 0, header(tensor_, rows_)));
    cut();
    if (indexBytes_ == 0) {
      require(writeAt(index_, 0, kIndexHeading));
      indexBytes_ = kIndexHeadingBytes;
    }
  } catch (...) {
    close();
    throw;
  }
}

// To what is whole.
void NpyFile::cut() const {
  (void)!::ftruncate(array_, off_t(kNpyHeaderBytes + rows_ * bytesPerRow_));
  (void)!::ftruncate(index_, off_t(indexBytes_));
}

SinkError NpyFile::write(const void *elements, std::size_t bytes,
                         const std::string &line) const {
  SinkError error = writeAt(array_, kNpyHeaderBytes + rows_ * bytesPerRow_,
                            {static_cast<const char *>(elements), bytes});
  if (error == SinkError::none)
    error = writeAt(index_, indexBytes_, line);
  if (error == SinkError::none)
    error = writeAt(array_, 0, header(tensor_, rows_ + 1));
  return error;
}

SinkError NpyFile::append(const void *elements, std::size_t bytes,
                          const std::string &place) {
  const std::string line = std::to_string(rows_) + "," + place + "\n";
  const SinkError error = write(elements, bytes, line);
  if (error == SinkError::none) {
    ++rows_;
    indexBytes_ += line.size();
    return error;
  }
  cut();
  close();
  return error;
}

// Writing to a file that was deleted succeeds, but nobody will read it.
bool NpyFile::isGone() {
  if (!isOpen() ||
      (statusOf(array_).st_nlink != 0 && statusOf(index_).st_nlink != 0))
    return false;
  close();
  rows_ = 0;
  indexBytes_ = 0;
  return true;
}

} // namespace popscope::outfeed
