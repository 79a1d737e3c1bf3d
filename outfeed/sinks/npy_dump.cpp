#include "outfeed/sinks/npy_dump.hpp"

#include "summary/records/file_sink.hpp"

#include <algorithm>
#include <cerrno>
#include <exception>
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

NpyDump::NpyDump(fs::path directory, const TransfersPerStep &perStep,
                 summary::WriteListener onLoss)
    : directory_(std::move(directory)), perStep_(perStep),
      onLoss_(std::move(onLoss)) {}

std::uint64_t NpyDump::transfersToKeep(const fs::path &path,
                                       const Tap &tap) const {
  const std::uint64_t told =
      tap.schedule.dueBefore(std::uint32_t(firstStep_.value())) *
      (tap.tensor.moment == graph::TapMoment::microBatch
           ? perStep_.ofMicroBatches
           : perStep_.ofUpdates);
  std::error_code missing;
  const std::uintmax_t size = fs::file_size(path, missing);
  if (told == 0 || missing || size < kHeaderBytes)
    return 0;
  return std::min(told, (size - kHeaderBytes) /
                            std::max<std::size_t>(1, tap.tensor.bytes()));
}

// Each seek writes what is buffered: the header never counts a transfer that
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
  std::string name = tap.tensor.name;
  std::replace(name.begin(), name.end(), '/', '.');
  if (tap.tensor.moment != graph::TapMoment::microBatch)
    name += std::string(".") + nameOf(tap.tensor.moment);
  File &file = files_[tap.id];
  file.path = directory_ / (name + ".npy");
  file.tap = &tap;
  file.report.what = file.path.string();
  try {
    open(file);
  } catch (const std::exception &error) {
    const auto *const system = dynamic_cast<const std::system_error *>(&error);
    file.report.error = system ? system->code().message() : error.what();
  }
  return file;
}

void NpyDump::open(File &file) const {
  fs::create_directories(directory_);
  file.transfers = transfersToKeep(file.path, *file.tap);
  if (file.transfers != 0)
    fs::resize_file(file.path,
                    kHeaderBytes + file.transfers * file.tap->tensor.bytes());
  file.stream.open(file.path,
                   std::ios::binary | std::ios::out |
                       (file.transfers != 0 ? std::ios::in : std::ios::trunc));
  if (!file.stream)
    throw std::system_error(errno, std::generic_category());
  writeHeader(file);
}

bool NpyDump::append(File &file, const void *elements, std::size_t bytes) {
  errno = 0; // the stream does not say why it fails
  file.stream.write(static_cast<const char *>(elements),
                    std::streamsize(bytes));
  ++file.transfers;
  writeHeader(file);
  if (file.stream)
    return true;
  file.report.error = describe(summary::errorOfErrno(errno));
  return false;
}

void NpyDump::takeElements(const Tap &tap, summary::Step step,
                           const SampleOrigin &, const void *elements,
                           std::size_t bytes) {
  File &file = fileOf(tap);
  if (!file.firstStep)
    file.firstStep = step;
  if (file.report.error.empty() && append(file, elements, bytes))
    return;
  ++file.report.lostRecords;
  file.report.lostBytes += bytes;
  if (!file.report.firstLost)
    file.report.firstLost = step;
  if (onLoss_)
    onLoss_(file.report);
}

void NpyDump::flush() {
  for (auto &[id, file] : files_) {
    std::error_code unknown;
    // Writing to a file that was deleted succeeds, but nobody will read it.
    if (!file.report.error.empty() || fs::exists(file.path, unknown) || unknown)
      continue;
    file.report.error = describe(summary::SinkError::vanished);
    file.report.lostRecords = file.transfers;
    file.report.lostBytes = file.transfers * file.tap->tensor.bytes();
    file.report.firstLost = file.firstStep;
    if (onLoss_)
      onLoss_(file.report);
  }
}

std::vector<summary::WriteReport> NpyDump::reports() const {
  std::vector<summary::WriteReport> reports;
  for (const auto &[id, file] : files_)
    reports.push_back(file.report);
  return reports;
}

} // namespace popscope::outfeed
