// Signals that shrink or grow from layer to layer.
#pragma once

#include "outfeed/checks/check.hpp"
#include "outfeed/checks/kinds/streaks.hpp"

#include <map>
#include <string>

namespace popscope::outfeed {

// The slope of log2(RMS) over the layers, fitted by least squares, gives the
// factor from one layer to the next in the direction in which the signal flows:
// gradients from the last layer to the first, everything else forward. Tensors
// of different kinds, moments, replicas or micro-batches are not compared.
class DepthTrend : public Check {
public:
  // The kernels: a bias has another scale.
  const char *defaultTensors() const override {
    return "kind:gradient & at:accumulated & !name~bias";
  }
  std::vector<Setting> settings() override {
    return {outfeed::factor("factor", factor_), count("layers", layers_),
            count("samples", samples_)};
  }
  void begin(const ProgramFacts &facts) override;
  std::vector<Violation> look(const UpdateObservations &update) override;
  std::string describe(const Violation &violation) const override;

protected:
  enum class Trend { vanishing, exploding };
  explicit DepthTrend(Trend trend) : trend_(trend) {}

private:
  struct Point {
    const Series *series;
    std::size_t depth; // of the layer in the program
    double rms;
  };
  using Signal = std::vector<Point>;

  // From layer to layer along the flow; 1 if there are too few layers.
  double growth(const Signal &signal, bool isBackward) const;

  const Trend trend_;
  double factor_ = 10;                        // from layer to layer
  double layers_ = 3;                         // at least
  double samples_ = 10;                       // in a row
  std::map<std::string, std::size_t> depths_; // of layers
  Streaks streaks_;
  struct Ends {
    Point from, to; // along the flow
  };
  std::map<const Series *, Ends> ends_; // of the violations of the last look
};

class Vanishing : public DepthTrend {
public:
  Vanishing() : DepthTrend(Trend::vanishing) {}
  const char *name() const override { return "vanishing"; }
};

class Exploding : public DepthTrend {
public:
  Exploding() : DepthTrend(Trend::exploding) {}
  const char *name() const override { return "exploding"; }
};

} // namespace popscope::outfeed
