// Floating-point control of the tiles. Settings can be read back but have no
// effect: the engine's arithmetic is IEEE, rounds to nearest even and raises no
// exceptions, like the SDK's IPU Model.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace poplar {

struct FloatingPointBehaviour {
  FloatingPointBehaviour() = default;
  FloatingPointBehaviour(bool inv, bool div0, bool oflo, bool esr, bool nanoo)
      : inv(inv), div0(div0), oflo(oflo), esr(esr), nanoo(nanoo) {}
  bool inv = true;
  bool div0 = true;
  bool oflo = true;
  bool esr = true;
  bool nanoo = true;
};

void setFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                               const FloatingPointBehaviour &behaviour,
                               const DebugContext &debugContext = {});
void setFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                               const Tensor &behaviour,
                               const DebugContext &debugContext = {});
// Returns the previous behaviour, one UNSIGNED_INT per tile.
Tensor getAndModifyFloatingPointBehaviour(
    Graph &graph, program::Sequence &prog, const FloatingPointBehaviour &clear,
    const FloatingPointBehaviour &set, const DebugContext &debugContext = {});
void setStochasticRounding(Graph &graph, program::Sequence &prog, bool enable,
                           const DebugContext &debugContext = {});

} // namespace poplar
