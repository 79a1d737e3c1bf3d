// Lets a session watch a test's trainer, which knows nothing of its codelets.
#pragma once

#include "graph/codelets.hpp"
#include "outfeed/tap_session.hpp"

#include <string>
#include <utility>

namespace popscope::outfeed::tests {

// Adds the codelets before the first tap.
class Observer : public graph::TapObserver {
public:
  explicit Observer(TapSession &session) : session_(session) {}
  void visit(poplar::Graph &graph, poplar::program::Sequence &prog,
             const graph::TapPoint &point) override {
    if (!std::exchange(hasCodelets_, true))
      graph::addCodelets(graph);
    session_.visit(graph, prog, point);
  }
  bool wantsUpdate(const std::string &name) const override {
    return session_.wantsUpdate(name);
  }
  poplar::program::Sequence
  whenNeeded(poplar::Graph &graph, const std::string &name,
             graph::TapMoment moment,
             const poplar::program::Sequence &body) override {
    return session_.whenNeeded(graph, name, moment, body);
  }
  void flush(poplar::Graph &graph, poplar::program::Sequence &prog,
             graph::TapMoment moment) override {
    session_.flush(graph, prog, moment);
  }
  void beginUpdate(poplar::Graph &graph,
                   poplar::program::Sequence &prog) override {
    session_.beginUpdate(graph, prog);
  }

private:
  TapSession &session_;
  bool hasCodelets_ = false;
};

} // namespace popscope::outfeed::tests
