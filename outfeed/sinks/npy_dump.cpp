#include "outfeed/sinks/npy_dump.hpp"

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace popscope::outfeed {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kHeaderBytes = 256; // room for any number of transfers

const char *typeCode(const std::string &dtype) {
  return dtype == "half"       ? "<f2"
         : dtype == "int"      ? "<i4"
         : dtype == "unsigned" ? "<u4"
                               : "<f4";
}

// Version 1.0 of the format: magic, version, length, a Python literal.
std::string header(const TensorTraits &tensor, std::uint64_t transfers) {
  std::string shape = std::to_string(transfers) + ",";
  for (const std::size_t dimension : tensor.shape)
    shape += " " + std::to_string(dimension) + ",";
  const std::string literal =
      std::string("{'descr': '") + typeCode(tensor.dtype) +
      "', 'fortran_order': False, 'shape': (" + shape + "), }";
  constexpr std::size_t kLength = kHeaderBytes - 10;
  if (literal.size() + 1 > kLength)
    throw std::runtime_error(tensor.name + " has too many dimensions for .npy");
  std::string text("\x93NUMPY\x01\x00", 8);
  text += char(kLength & 0xff);
  text += char(kLength >> 8);
  text += literal;
  text.resize(kHeaderBytes - 1, ' ');
  return text + '\n';
}

} // namespace

NpyDump::NpyDump(fs::path directory, const TransfersPerUpdate &perUpdate)
    : directory_(std::move(directory)), perUpdate_(perUpdate) {}

std::uint64_t NpyDump::transfersToKeep(const fs::path &path,
                                       const Tap &tap) const {
  const std::uint64_t told = tap.schedule.dueBefore(firstUpdate_) *
                             (tap.tensor.moment == graph::TapMoment::microBatch
                                  ? perUpdate_.ofMicroBatches
                                  : perUpdate_.ofUpdates);
  std::error_code missing;
  const std::uintmax_t size = fs::file_size(path, missing);
  if (told == 0 || missing || size < kHeaderBytes)
    return 0;
  return std::min(told, (size - kHeaderBytes) /
                            std::max<std::size_t>(1, tap.tensor.bytes()));
}

// Each seek writes what is buffered: the header never tells of a transfer that
// the file does not hold.
void NpyDump::writeHeader(File &file) {
  file.stream.seekp(0);
  file.stream << header(file.tap->tensor, file.transfers);
  file.stream.seekp(0, std::ios::end);
}

NpyDump::File &NpyDump::fileOf(const Tap &tap) {
  const auto found = files_.find(tap.id);
  if (found != files_.end())
    return found->second;
  fs::create_directories(directory_);
  std::string name = tap.tensor.name;
  std::replace(name.begin(), name.end(), '/', '.');
  if (tap.tensor.moment != graph::TapMoment::microBatch)
    name += std::string(".") + nameOf(tap.tensor.moment);
  const fs::path path = directory_ / (name + ".npy");
  const std::uint64_t kept = transfersToKeep(path, tap);
  if (kept != 0)
    fs::resize_file(path, kHeaderBytes + kept * tap.tensor.bytes());
  const auto mode = std::ios::binary | std::ios::out |
                    (kept != 0 ? std::ios::in : std::ios::trunc);
  File &file =
      files_.emplace(tap.id, File{path, std::fstream(path, mode), &tap, kept})
          .first->second;
  writeHeader(file);
  return file;
}

void NpyDump::takeElements(const Tap &tap, Update, const SampleOrigin &,
                           const void *elements, std::size_t bytes) {
  File &file = fileOf(tap);
  file.stream.write(static_cast<const char *>(elements),
                    std::streamsize(bytes));
  ++file.transfers;
  writeHeader(file);
  if (!file.stream)
    throw std::runtime_error(file.path.string() + " cannot be written to");
}

void NpyDump::flush() {
  for (auto &[id, file] : files_)
    if (!file.stream.flush())
      throw std::runtime_error(file.path.string() + " cannot be written to");
}

} // namespace popscope::outfeed
