// The flight recorder of a program: the last rows of every tensor that is
// tapped or has an alarm.
#pragma once

#include "graph/taps/device_stats.hpp"
#include "graph/taps/recorder.hpp"
#include "outfeed/program/tap_stream.hpp"
#include "outfeed/program/tile_turn.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace popscope::outfeed {

struct RecorderOptions {
  unsigned updates = 0; // that are kept; 0: there is no recorder
  // Tensors whose infinities do not stop it.
  std::vector<TensorFilter> infinitiesIntended = {};
};

// One ring, as codelets/recorder.hpp has it.
struct TapRing {
  std::string handle; // of a host read of all its slots
  unsigned slots = 0;
  graph::TapMoment moment = graph::TapMoment::microBatch;
  std::vector<TapSource::Record> records; // firstWord is that in a slot
};

class RecorderProgram {
public:
  // `handle` is that of a host write of the word that stops the rings.
  RecorderProgram(RecorderOptions options, std::string handle);

  unsigned updates() const { return options_.updates; }
  bool isWanted() const { return options_.updates != 0; }
  const std::string &stopHandle() const { return stopHandle_; }
  const std::vector<TapRing> &rings() const { return rings_; }
  // Of all rings on the tile that has most of them.
  std::size_t bytesOfATile() const;

  // Made when it is first asked for.
  graph::RecorderStop stop(poplar::Graph &graph, TileTurn &tiles);

  struct Row {
    const Tap &recordedAs;
    poplar::Tensor row;
    graph::ElementOrder order;
  };
  // Where the rows of a unit are recorded.
  struct Unit {
    graph::TapMoment moment;
    unsigned executionsPerUpdate;
    poplar::Tensor execution; // their number so far
  };
  void add(poplar::Graph &graph, const std::vector<Row> &rows, const Unit &unit,
           TileTurn &tiles, poplar::program::Sequence &prog);

private:
  const RecorderOptions options_;
  const std::string stopHandle_;
  std::optional<graph::RecorderStop> stop_;
  std::vector<TapRing> rings_;
  std::map<unsigned, std::size_t> bytes_; // by tile
};

} // namespace popscope::outfeed
