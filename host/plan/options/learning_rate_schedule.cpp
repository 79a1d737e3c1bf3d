#include "host/plan/options/learning_rate_schedule.hpp"

#include "text/number_text.hpp"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace popscope::host {

namespace {

constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kSmallest = std::numeric_limits<float>::min();

float parseRate(const std::string &text) {
  char *end = nullptr;
  errno = 0;
  const float rate = std::strtof(text.c_str(), &end);
  // strtof would also read spaces, hexadecimal digits and "infinity".
  const bool isDecimal =
      !text.empty() && *end == '\0' &&
      text.find_first_not_of("0123456789.eE+-") == std::string::npos;
  if (!isDecimal || std::signbit(rate) || (rate == 0.0f && errno == 0))
    throw std::invalid_argument((text.empty() ? "''" : text) +
                                " is not a positive number");
  if (!std::isfinite(rate))
    throw std::invalid_argument(text + " is too large for a float: at most " +
                                text::shortestDecimal(kLargest));
  if (rate < kSmallest)
    throw std::invalid_argument(text + " is too small for a float: at least " +
                                text::shortestDecimal(kSmallest));
  return rate;
}

unsigned parseEpoch(const std::string &text) {
  const bool isNumber = !text.empty() && text.find_first_not_of("0123456789") ==
                                             std::string::npos;
  if (!isNumber)
    throw std::invalid_argument("'" + text + "' is not an epoch");
  errno = 0;
  const unsigned long epoch = std::strtoul(text.c_str(), nullptr, 10);
  constexpr unsigned kLast = std::numeric_limits<unsigned>::max();
  if (errno != 0 || epoch > kLast)
    throw std::invalid_argument("epoch " + text + " is too large: at most " +
                                std::to_string(kLast));
  return static_cast<unsigned>(epoch);
}

} // namespace

LearningRateSchedule LearningRateSchedule::parse(const std::string &text) {
  std::istringstream pieces(text);
  std::string piece;
  std::getline(pieces, piece, ',');
  if (piece.find('@') != std::string::npos)
    throw std::invalid_argument(
        piece + " comes first and holds from epoch 1 on: write " +
        piece.substr(0, piece.find('@')));
  LearningRateSchedule schedule(parseRate(piece));
  unsigned last = 1;
  while (!pieces.eof()) {
    piece.clear();
    std::getline(pieces, piece, ','); // leaves it empty after a last comma
    if (piece.empty())
      throw std::invalid_argument("a rate is missing in " + text);
    const std::size_t at = piece.find('@');
    if (at == std::string::npos)
      throw std::invalid_argument(piece + " has no epoch: write " + piece +
                                  "@EPOCH");
    const float rate = parseRate(piece.substr(0, at));
    const unsigned epoch = parseEpoch(piece.substr(at + 1));
    if (epoch <= last)
      throw std::invalid_argument(piece + " must begin after epoch " +
                                  std::to_string(last));
    schedule.then(epoch - 1, rate);
    last = epoch;
  }
  return schedule;
}

LearningRateSchedule
LearningRateSchedule::changedAt(unsigned epoch,
                                const LearningRateSchedule &later) const {
  LearningRateSchedule merged((epoch == 0 ? later : *this).at(0));
  const auto add = [&merged](unsigned from, float rate) {
    if (from > 0 && rate != merged.pieces_.back().rate)
      merged.then(from, rate);
  };
  for (const Piece &piece : pieces_)
    if (piece.from < epoch)
      add(piece.from, piece.rate);
  add(epoch, later.at(epoch));
  for (const Piece &piece : later.pieces_)
    if (piece.from > epoch)
      add(piece.from, piece.rate);
  return merged;
}

std::string LearningRateSchedule::text() const {
  std::string text;
  for (const Piece &piece : pieces_) {
    text += (piece.from > 0 ? "," : "") + text::shortestDecimal(piece.rate);
    if (piece.from > 0)
      text += '@' + std::to_string(piece.from + 1);
  }
  return text;
}

} // namespace popscope::host
