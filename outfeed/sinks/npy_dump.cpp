#include "outfeed/sinks/npy_dump.hpp"

#include "outfeed/sinks/npy_header.hpp"
#include "outfeed/sinks/private_file.hpp"
#include "summary/records/file_sink.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace popscope::outfeed {

namespace fs = std::filesystem;

namespace {

std::string header(const TensorTraits &tensor, std::uint64_t rows) {
  std::vector<std::size_t> shape = tensor.shape;
  shape.insert(shape.begin(), std::size_t(rows));
  return npyHeader(tensor.dtype, shape);
}

constexpr char kIndexHeading[] = "row,update,micro_batch,replica\n";

// How much of the files of an earlier start is kept.
struct Kept {
  std::uint64_t rows = 0;
  std::uint64_t indexBytes = 0;
};

// The rows of the updates before `firstUpdate` that both files have whole.
Kept rowsBefore(Update firstUpdate, const fs::path &arrayPath,
                const fs::path &indexPath, std::size_t bytesPerRow) {
  std::error_code missing;
  const std::uintmax_t arrayBytes = fs::file_size(arrayPath, missing);
  if (missing || arrayBytes < kNpyHeaderBytes + bytesPerRow)
    return {};
  std::ifstream index(indexPath, std::ios::binary);
  std::string line;
  if (!std::getline(index, line))
    throw std::runtime_error(
        arrayPath.string() + " has rows of an earlier start, but " +
        indexPath.filename().string() +
        ", which says of which updates, is missing; move it elsewhere");
  Kept kept{0, line.size() + 1};
  const std::uint64_t mostRows = (arrayBytes - kNpyHeaderBytes) / bytesPerRow;
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

} // namespace

bool isDumpFile(const fs::path &file) {
  // Magic, version and length; other writers leave less room.
  const std::string array = std::string("\x93NUMPY\x01\x00", 8) +
                            char((kNpyHeaderBytes - 10) & 0xff) +
                            char((kNpyHeaderBytes - 10) >> 8);
  std::ifstream in(file, std::ios::binary);
  std::string begin(std::max(array.size(), sizeof kIndexHeading - 1), ' ');
  in.read(begin.data(), std::streamsize(begin.size()));
  begin.resize(std::size_t(in.gcount()));
  return begin.empty() || begin.rfind(array, 0) == 0 || begin == kIndexHeading;
}

NpyDump::NpyDump(fs::path directory, summary::WriteListener onLoss)
    : directory_(std::move(directory)), onLoss_(std::move(onLoss)) {}

// Each seek writes what is buffered: the header never counts a row that the
// file does not hold.
void NpyDump::writeHeader(File &file) {
  file.array.seekp(0);
  file.array << header(file.tap->tensor, file.rows);
  file.array.seekp(0, std::ios::end);
}

void NpyDump::open(File &file) const {
  fs::create_directories(directory_);
  const fs::path indexPath =
      fs::path(file.path).replace_extension(".index.csv");
  const std::size_t bytesPerRow =
      std::max<std::size_t>(1, file.tap->tensor.bytes());
  Kept kept;
  if (firstUpdate_ != Update(0))
    kept = rowsBefore(firstUpdate_, file.path, indexPath, bytesPerRow);
  const bool goesOn = kept.rows != 0;
  const auto mode = std::ios::binary | std::ios::out;
  file.rows = kept.rows;
  makePrivate(file.path);
  makePrivate(indexPath);
  file.array.open(file.path, mode | (goesOn ? std::ios::in : std::ios::trunc));
  file.index.open(indexPath, mode | (goesOn ? std::ios::app : std::ios::trunc));
  if (!file.array || !file.index)
    throw std::system_error(errno, std::generic_category());
  writeHeader(file); // first: a kill in between leaves too much, not too little
  if (goesOn) {
    fs::resize_file(file.path, kNpyHeaderBytes + kept.rows * bytesPerRow);
    fs::resize_file(indexPath, kept.indexBytes);
    file.array.seekp(0, std::ios::end);
  } else {
    file.index << kIndexHeading << std::flush;
  }
}

NpyDump::File &NpyDump::fileOf(const Tap &tap) {
  const auto found = files_.find(tap.id);
  if (found != files_.end())
    return found->second;
  std::string name = tagOf(tap.tensor);
  std::replace(name.begin(), name.end(), '/', '.');
  // Only gradients have tags that say the moment.
  for (const auto &[id, other] : files_)
    if (other.path == directory_ / (name + ".npy"))
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

bool NpyDump::append(File &file, const void *elements, std::size_t bytes,
                     const std::string &place) {
  errno = 0; // the streams do not say why they fail
  file.array.write(static_cast<const char *>(elements), std::streamsize(bytes));
  file.index << std::to_string(file.rows) + "," + place + "\n" << std::flush;
  if (file.index) {
    ++file.rows;
    writeHeader(file);
  }
  if (file.array && file.index)
    return true;
  file.report.error = describe(summary::errorOfErrno(errno));
  return false;
}

void NpyDump::takeElements(const Tap &tap, Update update,
                           const SampleOrigin &origin, const void *elements,
                           std::size_t bytes) {
  File &file = fileOf(tap);
  if (!file.firstUpdate)
    file.firstUpdate = update;
  const std::string place = std::to_string(update.value()) + "," +
                            std::to_string(origin.microBatch) + "," +
                            std::to_string(origin.replica);
  if (file.report.error.empty() && append(file, elements, bytes, place))
    return;
  ++file.report.lostRecords;
  file.report.lostBytes += bytes;
  if (!file.report.firstLost)
    file.report.firstLost = summary::Step(update.value());
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
    file.report.lostRecords = file.rows;
    file.report.lostBytes = file.rows * file.tap->tensor.bytes();
    file.report.firstLost = summary::Step(file.firstUpdate->value());
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
