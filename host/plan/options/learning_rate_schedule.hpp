// The learning rate of each epoch.
#pragma once

#include <string>
#include <vector>

namespace popscope::host {

// Rates that each hold from one epoch to the next rate's.
class LearningRateSchedule {
public:
  explicit LearningRateSchedule(float rate) : pieces_{{0, rate}} {}
  // A first rate, then others with the epochs they begin at, counted from 1 as
  // users see them: "0.2,0.02@7". Throws std::invalid_argument that says what
  // is wrong.
  static LearningRateSchedule parse(const std::string &text);

  // Adds a rate from this epoch on; epochs are counted from 0 and rise.
  LearningRateSchedule &then(unsigned epoch, float rate) {
    pieces_.push_back({epoch, rate});
    return *this;
  }

  // These rates before this epoch, counted from 0, and the later ones from it
  // on.
  LearningRateSchedule changedAt(unsigned epoch,
                                 const LearningRateSchedule &later) const;

  float at(unsigned epoch) const {
    float rate = pieces_.front().rate;
    for (const Piece &piece : pieces_)
      if (epoch >= piece.from)
        rate = piece.rate;
    return rate;
  }
  bool isConstant() const { return pieces_.size() == 1; }
  std::string text() const; // as parse() reads it

private:
  struct Piece {
    unsigned from;
    float rate;
  };
  std::vector<Piece> pieces_;
};

} // namespace popscope::host
