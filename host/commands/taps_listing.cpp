#include "host/commands/taps_listing.hpp"

#include "outfeed/due_share.hpp"

namespace popscope::host {

namespace {

// On each replica, in an average update.
double timesDue(const outfeed::TapPlan &plan, const outfeed::Tap &tap,
                const TrainingPlan &training) {
  const bool perBatch = tap.tensor.moment == graph::TapMoment::microBatch;
  return (perBatch ? training.spec.accumulation : 1) *
         outfeed::dueShare(plan, tap);
}

// Records that are the host's to merge, from all replicas in an average update.
double recordsPerUpdate(const outfeed::TapPlan &plan,
                        const TrainingPlan &training) {
  double records = 0;
  for (const auto *taps : {&plan.taps(), &plan.alarms()})
    for (const outfeed::Tap &tap : *taps)
      if (!tap.condition)
        records += timesDue(plan, tap, training) * training.replicas /
                   tap.mergedReplicas;
  return records;
}

TapsListing::Instances predicted(const outfeed::TapSession &session,
                                 const TrainingPlan &training,
                                 unsigned instances) {
  TapsListing::Instances result;
  result.instances = instances;
  result.replicas = training.replicas / instances;
  result.bytesMerged = session.bytesPerUpdate();
  result.bytesOfAHost = result.bytesMerged / instances;
  result.recordsMerged = recordsPerUpdate(session.plan(), training);
  for (const auto *taps : {&session.plan().taps(), &session.plan().alarms()})
    for (const outfeed::Tap &tap : *taps) {
      result.tileBytes += tap.tileBytes;
      result.cycles +=
          timesDue(session.plan(), tap, training) * double(tap.cycles);
    }
  return result;
}

} // namespace

TapsListing listingOf(const outfeed::TapSession &session,
                      const TrainingPlan &training,
                      std::optional<unsigned> instances,
                      const outfeed::TapSession *otherwise) {
  TapsListing listing;
  listing.bytesPerUpdate = session.bytesPerUpdate();
  const auto perUpdate = [&](const outfeed::Tap &tap, std::size_t bytes) {
    return double(bytes) * training.replicas *
           timesDue(session.plan(), tap, training);
  };
  for (const outfeed::Tap &tap : session.plan().taps()) {
    const std::size_t sent = tap.condition ? 0 : tap.bytes;
    listing.rows.push_back({tap, perUpdate(tap, sent) / tap.mergedReplicas,
                            perUpdate(tap, tap.tensor.bytes())});
    listing.tensorBytesPerUpdate += listing.rows.back().tensorBytesPerUpdate;
  }
  for (const outfeed::Tap &alarm : session.plan().alarms()) {
    ++listing.health.tensors;
    listing.health.bytesPerUpdate += perUpdate(alarm, alarm.bytes);
    listing.health.tileBytes += alarm.tileBytes;
    listing.health.cycles += alarm.cycles;
  }
  const outfeed::TapProgram &program = session.program();
  listing.recorder.updates = program.recorderUpdates();
  listing.recorder.tileBytes = program.ringBytesOfATile();
  for (const outfeed::TapRing &ring : program.rings())
    listing.recorder.tensors += ring.records.size();
  if (instances)
    listing.instances = predicted(session, training, *instances);
  if (otherwise)
    listing.otherwise = {otherwise->mergesReplicas(),
                         otherwise->bytesPerUpdate(),
                         recordsPerUpdate(otherwise->plan(), training)};
  return listing;
}

} // namespace popscope::host
