#include "host/train/learning_rate_schedule.hpp"

#include "text/number_text.hpp"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace popscope::host {

namespace {

float parseRate(const std::string &text) {
  char *end = nullptr;
  const float rate = std::strtof(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(rate) || rate <= 0.0f)
    throw std::invalid_argument((text.empty() ? "''" : text) +
                                " is not a positive number");
  return rate;
}

unsigned parseEpoch(const std::string &text) {
  errno = 0;
  const unsigned long epoch = std::strtoul(text.c_str(), nullptr, 10);
  if (text.empty() ||
      text.find_first_not_of("0123456789") != std::string::npos || errno != 0 ||
      epoch > std::numeric_limits<unsigned>::max())
    throw std::invalid_argument("'" + text + "' is not an epoch");
  return static_cast<unsigned>(epoch);
}

} // namespace

LearningRateSchedule LearningRateSchedule::parse(const std::string &text) {
  std::istringstream pieces(text);
  std::string piece;
  std::getline(pieces, piece, ',');
  if (piece.find('@') != std::string::npos)
    throw std::invalid_argument(
        piece + " begins the schedule, so it has no epoch: write " +
        piece.substr(0, piece.find('@')));
  LearningRateSchedule schedule(parseRate(piece));
  unsigned last = 1;
  while (!pieces.eof()) {
    piece.clear();
    std::getline(pieces, piece, ','); // behind a last comma, nothing
    if (piece.empty())
      throw std::invalid_argument("a rate is missing in " + text);
    const std::size_t at = piece.find('@');
    if (at == std::string::npos)
      throw std::invalid_argument(piece + " has no epoch: write " + piece +
                                  "@EPOCH");
    const float rate = parseRate(piece.substr(0, at));
    const unsigned epoch = parseEpoch(piece.substr(at + 1));
    if (epoch <= last)
      throw std::invalid_argument(piece + " is not after epoch " +
                                  std::to_string(last));
    schedule.then(epoch - 1, rate);
    last = epoch;
  }
  return schedule;
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
