// What popscope taps prints: the taps of a training and what they cost.
#pragma once

#include "host/plan/training_plan.hpp"
#include "outfeed/tap_session.hpp"

#include <cstddef>
#include <optional>
#include <ostream>
#include <vector>

namespace popscope::host {

// Bytes per update are averages over all updates, from all replicas. Updates
// that a schedule lists one by one are too few to count.
struct TapsListing {
  struct Row {
    outfeed::Tap tap;
    double bytesPerUpdate = 0;
    double tensorBytesPerUpdate = 0; // of the tensor itself
  };
  std::vector<Row> rows;
  // The alarms of tensors whose own taps do not tell as much.
  struct Health {
    std::size_t tensors = 0;
    double bytesPerUpdate = 0;
    std::size_t tileBytes = 0, cycles = 0; // of all, each where it has most
  };
  Health health;
  // Of all rows. More bytes cross than the rows have, those of frame headers,
  // or fewer, where two moments have the same elements and share a record.
  double bytesPerUpdate = 0;
  double tensorBytesPerUpdate = 0;
  // The flight recorder's; no updates if there is none.
  struct Recorder {
    unsigned updates = 0;
    std::size_t tensors = 0;
    std::size_t tileBytes = 0; // on the tile that holds most of it
  };
  Recorder recorder = {};
  // What several instances would send, each of a host with its replicas; none
  // if not asked for.
  struct Instances {
    unsigned instances = 0;
    unsigned replicas = 0; // of each
    // From its replicas to each host. If the samples are kept apart, no more.
    double bytesOfAHost = 0;
    // At instance 0, which merges them: its own, and the frames of the others.
    double bytesMerged = 0;
    double recordsMerged = 0; // in an update
    // Of every replica, whatever their number: on the tiles where the taps have
    // most, and estimated for an update.
    std::size_t tileBytes = 0;
    double cycles = 0;
  };
  std::optional<Instances> instances = std::nullopt;
  // Of the same rules with the opposite of --merge-replicas; none for one
  // replica.
  struct Otherwise {
    bool mergesReplicas = false;
    double bytesPerUpdate = 0, recordsPerUpdate = 0;
  };
  std::optional<Otherwise> otherwise = std::nullopt;
};

// Of a session that has visited the training's graph. `instances` divides its
// replicas; absent: nothing is said of several. `otherwise` is a session with
// the opposite of --merge-replicas, or null.
TapsListing listingOf(const outfeed::TapSession &session,
                      const TrainingPlan &training,
                      std::optional<unsigned> instances = std::nullopt,
                      const outfeed::TapSession *otherwise = nullptr);

// No row is wider than the terminal: columns are left out, and said to be,
// where there is no room for them.
void printForTerminal(const TapsListing &listing, std::ostream &out,
                      std::size_t terminalColumns);
// Cells between tabs, plain numbers; the first line has the headings, the last
// the totals.
void printForPipe(const TapsListing &listing, std::ostream &out);
void printJson(const TapsListing &listing, std::ostream &out);

} // namespace popscope::host
