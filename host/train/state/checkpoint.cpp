#include "host/train/state/checkpoint.hpp"

#include "host/command.hpp"
#include "host/run/mapped_file.hpp"
#include "host/run/whole_file.hpp"
#include "summary/records/crc32c.hpp"
#include "text/quoting.hpp"

#include <cstring>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace popscope::host {

namespace fs = std::filesystem;

namespace {

// The file: this line; the fields in order, each text or list preceded by its
// length in 8 bytes, numbers in the machine's own layout; the CRC-32C of all
// that.
constexpr std::string_view kMagic = "popscope checkpoint 2\n";
constexpr char kFile[] = "state";
constexpr char kPrevious[] = ".previous";

class Packer {
public:
  void number(std::uint64_t value) { raw(&value, sizeof value); }
  void text(const std::string &value) { list(value.data(), value.size(), 1); }
  void list(const void *data, std::size_t count, std::size_t elementBytes) {
    number(count);
    raw(data, count * elementBytes);
  }
  void raw(const void *data, std::size_t bytes) {
    bytes_.append(static_cast<const char *>(data), bytes);
  }
  const std::string &bytes() const { return bytes_; }

private:
  std::string bytes_;
};

class Unpacker {
public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  // Of entries of so many bytes or more each, so that a false count cannot
  // exhaust the memory.
  std::size_t count(std::size_t leastBytes) {
    const std::uint64_t value = number();
    if (value > bytes_.size() / leastBytes)
      throw std::out_of_range("ends early");
    return std::size_t(value);
  }
  std::string text() { return std::string(take(count(1))); }
  template <class T> std::vector<T> list() {
    const std::size_t size = count(sizeof(T));
    const std::string_view bytes = take(size * sizeof(T));
    std::vector<T> values(size);
    if (size)
      std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  std::string_view take(std::size_t count) {
    if (count > bytes_.size())
      throw std::out_of_range("ends early");
    const std::string_view front = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return front;
  }

private:
  std::string_view bytes_;
};

} // namespace

std::string bytesOf(const Checkpoint &checkpoint) {
  Packer packer;
  packer.raw(kMagic.data(), kMagic.size());
  packer.text(checkpoint.plan);
  packer.number(checkpoint.done.value());
  packer.number(checkpoint.metricStates.size());
  for (const std::vector<double> &state : checkpoint.metricStates)
    packer.list(state.data(), state.size(), sizeof(double));
  packer.number(checkpoint.tensors.size());
  for (const SavedTensor &tensor : checkpoint.tensors) {
    packer.text(tensor.name);
    packer.list(tensor.bytes.data(), tensor.bytes.size(), 1);
  }
  packer.number(checkpoint.table.size());
  for (const auto &row : checkpoint.table) {
    packer.text(row.tensor);
    packer.list(row.numbers.data(), row.numbers.size(), sizeof(double));
  }
  packer.number(summary::crc32c(packer.bytes()));
  return packer.bytes();
}

Checkpoint checkpointOf(std::string_view bytes) {
  const std::size_t body = bytes.size() - sizeof(std::uint64_t);
  if (bytes.size() < kMagic.size() + sizeof(std::uint64_t) ||
      bytes.substr(0, kMagic.size()) != kMagic)
    throw std::out_of_range("not a checkpoint of this version");
  if (Unpacker(bytes.substr(body)).number() !=
      summary::crc32c(bytes.substr(0, body)))
    throw std::out_of_range("its checksum is wrong");
  Unpacker unpacker(bytes.substr(kMagic.size(), body - kMagic.size()));
  Checkpoint checkpoint;
  checkpoint.plan = unpacker.text();
  checkpoint.done = Batches(unpacker.number());
  constexpr std::size_t kLength = sizeof(std::uint64_t);
  checkpoint.metricStates.resize(unpacker.count(kLength));
  for (std::vector<double> &state : checkpoint.metricStates)
    state = unpacker.list<double>();
  checkpoint.tensors.resize(unpacker.count(2 * kLength));
  for (SavedTensor &tensor : checkpoint.tensors) {
    tensor.name = unpacker.text();
    tensor.bytes = unpacker.list<std::uint8_t>();
  }
  checkpoint.table.resize(unpacker.count(2 * kLength));
  for (auto &row : checkpoint.table) {
    row.tensor = unpacker.text();
    row.numbers = unpacker.list<double>();
  }
  return checkpoint;
}

namespace {

fs::path beside(const fs::path &directory, const char *suffix) {
  fs::path path = directory;
  return path += suffix;
}

// Throws std::out_of_range if it is damaged.
Checkpoint readFile(const fs::path &file) {
  try {
    return checkpointOf(MappedFile(file).bytes());
  } catch (const std::system_error &error) {
    throw BadInput(file.string() + ": " + error.code().message());
  }
}

// How to go on from the checkpoint before a damaged one.
std::string wayBack(const fs::path &file) {
  const fs::path previous = beside(file, kPrevious);
  try {
    readFile(previous);
  } catch (const std::exception &) {
    return "";
  }
  return "; the one before it is whole: mv " +
         text::shellWord(previous.string()) + " " +
         text::shellWord(file.string()) + " goes back to that";
}

} // namespace

void writeCheckpoint(const fs::path &directory, const Checkpoint &checkpoint) {
  const std::string bytes = bytesOf(checkpoint);
  fs::create_directories(directory);
  const fs::path file = directory / kFile;
  const fs::path previous = beside(file, kPrevious);
  std::error_code ignored; // the last one is a help, not a need
  fs::remove(previous, ignored);
  fs::create_hard_link(file, previous, ignored);
  replaceFile(file, bytes);
  for (const char *suffix : {".old", ".new"}) // of earlier versions
    fs::remove_all(beside(directory, suffix), ignored);
}

void keepCheckpoint(const fs::path &checkpoint, const fs::path &directory) {
  std::error_code ignored;
  if (fs::exists(directory / kFile, ignored))
    return;
  fs::create_directories(directory, ignored);
  fs::create_hard_link(checkpoint / kFile, directory / kFile, ignored);
}

Checkpoint readCheckpoint(const fs::path &directory) {
  fs::path file = directory / kFile;
  if (!fs::exists(file)) // an earlier version was killed while it replaced it
    file = beside(directory, ".old") / kFile;
  if (!fs::exists(file))
    throw BadInput(directory.string() +
                   ": there is no checkpoint to resume; popscope train --clean "
                   "begins a run anew");
  try {
    return readFile(file);
  } catch (const std::out_of_range &error) {
    throw BadInput(file.string() + ": damaged checkpoint: " + error.what() +
                   wayBack(file));
  }
}

} // namespace popscope::host
