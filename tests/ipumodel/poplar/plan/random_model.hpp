// A graph of random views, and what random programs of it have in common: how
// operations get their operands, and what its host writes and reads.
#pragma once

#include "host_values.hpp"
#include "random_views.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace poplibstest {

using namespace poplar;
using program::Copy;
using program::Sequence;

using Shape = RandomViews::Shape;

// What the host has seen, under names for people.
using Seen = std::vector<std::pair<std::string, std::vector<double>>>;

struct RandomForm {
  bool copies = false; // operations work on copies of their operands
  // Also sums of floats whose order depends on the layout: reductions, and the
  // gradients of convolutions.
  bool floatSums = false;
};

// Reads a part of a tensor between two operations.
const char *const kReadPart = R"(
#include <poplar/Vertex.hpp>

class ReadPart : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<float> out;
  bool compute() {
    float sum = 0;
    for (unsigned i = 0; i < in.size(); ++i)
      sum = sum * 0.75f + in[i];
    *out = sum;
    return true;
  }
};
)";

inline Device makeDevice() {
  IPUModel model;
  model.tilesPerIPU = 8;
  return model.createDevice();
}

class RandomModel {
public:
  RandomModel(unsigned seed, RandomForm form)
      : graph(device_.getTarget()), views(graph, seed), form(form),
        seed_(seed) {
    std::stringstream codelets(kReadPart);
    graph.addCodelets(codelets);
  }

  unsigned seed() const { return seed_; }

  // A variable that the host writes before the first run and reads after the
  // last one.
  Tensor addWritten(const Type &type, const Shape &shape) {
    return write(views.addVariable(type, shape));
  }
  Tensor write(const Tensor &variable) {
    variables_.push_back(variable);
    return variable;
  }
  // One word that decides on branches, which is zero in about half of the runs.
  Tensor addDecision() {
    const Tensor word = views.addVariable(INT, {});
    decisions_.push_back(word);
    return word;
  }
  void watch(const Tensor &t, const std::string &name = "result") {
    const std::string number = std::to_string(watched_.size());
    graph.createHostRead("read" + number, t);
    watched_.emplace_back(name + ' ' + number, t);
  }
  void keep(const Tensor &result, const std::string &name = "result") {
    views.add(result);
    if (views.oneIn(2))
      watch(result, name);
  }

  Tensor input(const Tensor &view, Sequence &prog) {
    if (!form.copies)
      return view;
    const Tensor copy = views.addVariable(view.elementType(), view.shape());
    prog.add(Copy(view, copy));
    return copy;
  }
  // Lets `change` write to the target, or to a copy that is then copied back.
  template <class F>
  void update(const Tensor &target, Sequence &prog, F &&change) {
    if (!form.copies)
      return change(target);
    const Tensor copy = input(target, prog);
    change(copy);
    prog.add(Copy(copy, target));
  }

  // Vertices that each read a part of the batch's items, or of all of them, in
  // the order they have in memory or another.
  void addVertices(const Tensor &batch, Sequence &prog) {
    const Tensor flat = views.oneIn(6)
                            ? batch.flatten()
                            : batch.dimShuffle({0, 2, 3, 1}).flatten();
    const std::size_t item = flat.numElements() / batch.dim(0);
    const std::size_t parts = 1 + views.below(3);
    const std::size_t size =
        views.oneIn(6) ? 1 + views.below(2 * item) : (item + parts - 1) / parts;
    std::vector<Interval> intervals;
    const bool crosses = views.oneIn(8);
    const bool onlyFirst = !crosses && views.oneIn(4); // part of each item
    for (std::size_t at = 0; at < flat.numElements();) {
      const std::size_t next = (at / item + 1) * item;
      const std::size_t end =
          std::min(at + size, crosses ? flat.numElements() : next);
      intervals.emplace_back(at, end);
      at = onlyFirst ? next : end;
    }
    if (views.oneIn(8))
      std::reverse(intervals.begin(), intervals.end());
    const Tensor out = views.addVariable(FLOAT, {intervals.size()});
    const ComputeSet set = graph.addComputeSet();
    for (std::size_t i = 0; i < intervals.size(); ++i)
      graph.setTileMapping(
          graph.addVertex(set, "ReadPart",
                          {{"in", flat.slice(intervals[i])}, {"out", out[i]}}),
          0);
    prog.add(program::Execute(set));
    watch(out, "vertices");
  }

  // From now on the host reads what this stream sends.
  DataStream addToHost(const Type &type, std::size_t size) {
    sent_.emplace_back(size);
    toHost_.push_back(graph.addDeviceToHostFIFO(
        "to" + std::to_string(toHost_.size()), type, size));
    return toHost_.back();
  }
  // A stream of the same random numbers each time.
  DataStream addFromHost(std::size_t size) {
    given_.push_back(randomFloats(size, seed_ + 1));
    fromHost_.push_back(graph.addHostToDeviceFIFO(
        "from" + std::to_string(fromHost_.size()), FLOAT, size));
    return fromHost_.back();
  }

  // What the host reads in and after some runs, with NaNs made equal.
  Seen run(const Sequence &prog) {
    for (const Tensor &variable : variables_)
      watch(variable, "variable");
    for (std::size_t i = 0; i < variables_.size(); ++i)
      graph.createHostWrite("write" + std::to_string(i), variables_[i]);
    for (std::size_t i = 0; i < decisions_.size(); ++i)
      graph.createHostWrite("decide" + std::to_string(i), decisions_[i]);
    Engine engine(graph, prog);
    for (std::size_t i = 0; i < toHost_.size(); ++i)
      engine.connectStream(toHost_[i], sent_[i].data(),
                           sent_[i].data() + sent_[i].size());
    for (std::size_t i = 0; i < fromHost_.size(); ++i)
      engine.connectStream(fromHost_[i], given_[i].data(),
                           given_[i].data() + given_[i].size());
    engine.load(device_);
    for (std::size_t i = 0; i < variables_.size(); ++i)
      writeRandom(engine, "write" + std::to_string(i), variables_[i],
                  graph.getTarget(), seed_);
    std::mt19937 random(seed_);
    Seen seen;
    const unsigned runs = decisions_.empty() ? 2 : 3;
    for (unsigned i = 0; i < runs; ++i) {
      for (std::size_t d = 0; d < decisions_.size(); ++d) {
        const std::int32_t word = random() % 2;
        engine.writeTensor("decide" + std::to_string(d), &word, &word + 1);
      }
      engine.run();
      for (std::size_t s = 0; s < sent_.size(); ++s) {
        seen.emplace_back("stream " + std::to_string(s), std::vector<double>());
        appendFloats(seen.back().second, sent_[s]);
      }
    }
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      seen.emplace_back(watched_[i].first, std::vector<double>());
      readInto(seen.back().second, engine, "read" + std::to_string(i),
               watched_[i].second, graph.getTarget());
    }
    return seen;
  }

private:
  const Device device_ = makeDevice();

public:
  Graph graph;
  RandomViews views;
  const RandomForm form;

private:
  const unsigned seed_;
  std::vector<Tensor> variables_, decisions_; // written by the host
  std::vector<std::pair<std::string, Tensor>> watched_;
  std::vector<DataStream> toHost_, fromHost_;
  std::vector<std::vector<float>> sent_, given_;
};

} // namespace poplibstest
