#include "host/data/digits.hpp"

#include "host/command.hpp"
#include "host/data/gzip_file.hpp"
#include "host/data/shuffle.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace popscope::host {

namespace {

constexpr std::size_t kSide = 8;
constexpr unsigned kMaxPixel = 16;
constexpr unsigned kClasses = 10;
constexpr std::size_t kSample = 100;
constexpr std::size_t kMostBytes = std::size_t(1) << 26; // of the file

class RowParser {
public:
  RowParser(std::string_view row, std::string place)
      : row_(row), place_(std::move(place)) {}

  unsigned number(unsigned limit) {
    unsigned value = 0;
    const char *end = row_.data() + row_.size();
    const auto [stop, error] = std::from_chars(row_.data(), end, value);
    if (error != std::errc() || value > limit)
      throw BadInput(place_ + ": expected 64 pixels from 0 to 16 and a label "
                              "from 0 to 9, separated by commas");
    row_.remove_prefix(std::size_t(stop - row_.data()));
    if (!row_.empty() && row_.front() == ',')
      row_.remove_prefix(1);
    return value;
  }
  void expectEnd() const {
    if (!row_.empty())
      throw BadInput(place_ + ": expected 64 pixels and a label, found more");
  }

private:
  std::string_view row_;
  const std::string place_;
};

Dataset parse(std::string_view text, const std::string &file) {
  Dataset set;
  set.rows = set.columns = kSide;
  set.scale = 1.0f;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view row = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!row.empty() && row.back() == '\r')
      row.remove_suffix(1);
    RowParser parser(row, file + ": line " + std::to_string(line));
    for (std::size_t pixel = 0; pixel < kSide * kSide; ++pixel)
      set.pixels.push_back(std::uint8_t(parser.number(kMaxPixel)));
    set.labels.push_back(parser.number(kClasses - 1));
    parser.expectEnd();
  }
  return set;
}

Dataset reordered(const Dataset &set, const std::vector<std::size_t> &order) {
  Dataset result = set;
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::copy_n(set.image(order[i]), set.imagePixels(),
                result.pixels.data() + i * set.imagePixels());
    result.labels[i] = set.labels[order[i]];
  }
  return result;
}

} // namespace

TrainingData readDigitsDirectory(const std::string &directory,
                                 std::uint32_t splitSeed) {
  const std::string file = findMaybeGzip(directory + "/digits.csv");
  const std::vector<std::uint8_t> bytes = readMaybeGzip(file, kMostBytes + 1);
  if (bytes.size() > kMostBytes)
    throw BadInput(file + ": holds more than " + std::to_string(kMostBytes) +
                   " bytes");
  const Dataset all =
      parse({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, file);
  if (all.size() < 4)
    throw BadInput(
        file + ": " + std::to_string(all.size()) +
        " rows are too few to train and test with; at least 4 are needed");
  const Dataset mixed = reordered(all, numpyPermutation(all.size(), splitSeed));
  const std::size_t forTesting = (all.size() + 3) / 4;
  TrainingData data;
  data.test = slice(mixed, 0, forTesting);
  data.train = slice(mixed, forTesting, all.size());
  data.sample = slice(all, 0, std::min(kSample, all.size()));
  data.classes = kClasses;
  return data;
}

} // namespace popscope::host
