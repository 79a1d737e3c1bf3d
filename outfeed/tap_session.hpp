// Watches the tensors of a Poplar program. This is the header to start from:
//
//   TapSession taps({parseTapRule("kind:gradient -> shape")});
//   taps.addSink(std::make_unique<EventSink>("logs/run"));
//   ... while the program is built, after a tensor is complete:
//   taps.visit(graph, prog, {"dense/kernel", TensorKind::gradient,
//                            TapMoment::microBatch, 0, tensor});
//   ... at the end of what runs once per micro-batch:
//   taps.flush(graph, prog, TapMoment::microBatch);
//   ... with the engine loaded:
//   taps.connect(engine);
//   engine.run();
//   const TapReport report = taps.close();
//
// The graph must have had graph::addCodelets. The session outlives the engine.
#pragma once

#include "outfeed/control/control_server.hpp"
#include "outfeed/control/tap_control.hpp"
#include "outfeed/drain/drain.hpp"
#include "outfeed/drain/recorder_reader.hpp"
#include "outfeed/frames/frame_queue.hpp"
#include "outfeed/health/health_monitor.hpp"
#include "outfeed/instances.hpp"
#include "outfeed/program/tap_program.hpp"
#include "outfeed/sinks/sample_sink.hpp"
#include "outfeed/tap_plan.hpp"

#include <poplar/Engine.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace popscope::outfeed {

struct TapOptions {
  // Names of streams begin with it; sessions that share a graph need different
  // ones.
  std::string name = "popscope";
  unsigned microBatchesPerUpdate = 1;
  unsigned replicas = 1; // of all instances
  Fold fold = Fold::together;
  // Statistics of all replicas become one record on the device, so that no more
  // of them reach the host than from one replica; see TapPlan. Not for samples
  // that are kept apart.
  bool mergeReplicas = false;
  std::size_t queueCapacity = 64; // frames
  FullQueue fullQueue = FullQueue::wait;
  // Watches every tensor visited for elements that are not finite.
  bool health = false;
  std::vector<TensorFilter> infinitiesIntended; // see HealthOptions
  // With health: sends tensors that are not finite, and what they were computed
  // from, to a sink such as BadTensorDump; each tensor once. See DumpProgram.
  bool dump = false;
  // Taps can be turned on and off while the program runs; beginUpdate is then
  // needed.
  bool control = false;
  // With control: tensors that it may set to 0, scale or give noise, which
  // comes from the seed.
  std::vector<TensorFilter> interventions;
  std::uint32_t seed = 0;
  // The flight recorder keeps the statistics of so many updates on the device;
  // 0: there is none.
  unsigned recorderUpdates = 0;
};

class TapSession : public graph::TapObserver {
public:
  explicit TapSession(std::vector<TapRule> rules,
                      const TapOptions &options = {});
  // In one of several instances, which outlive this and have the replicas of
  // the options. The first one has the samples of all, the verdict and the
  // control. The sinks of the others get whole tensors only.
  TapSession(std::vector<TapRule> rules, const TapOptions &options,
             Instances &instances);
  ~TapSession() override; // closes

  // Before connect.
  void addSink(std::unique_ptr<SampleSink> sink);
  // Before the tensor is visited: plants a fault. Throws std::invalid_argument
  // if there is no such replica; visit and connect do so if it does not fit.
  void inject(const Injection &injection);

  void visit(poplar::Graph &graph, poplar::program::Sequence &prog,
             const graph::TapPoint &point) override {
    program_.visit(graph, prog, point);
  }
  bool wantsUpdate(const std::string &name) const override {
    return program_.wantsUpdate(name);
  }
  poplar::program::Sequence
  whenNeeded(poplar::Graph &graph, const std::string &name,
             graph::TapMoment moment,
             const poplar::program::Sequence &body) override {
    return program_.whenNeeded(graph, name, moment, body);
  }
  void flush(poplar::Graph &graph, poplar::program::Sequence &prog,
             graph::TapMoment moment) override {
    program_.flush(graph, prog, moment);
  }

  // See TapProgram.
  void flushPart(poplar::Graph &graph, poplar::program::Sequence &prog,
                 graph::TapMoment moment) {
    program_.flushPart(graph, prog, moment);
  }
  // With control, after the last flush: appends to `prog` what has to run at
  // the top of each update, before all that was visited.
  void beginUpdate(poplar::Graph &graph,
                   poplar::program::Sequence &prog) override {
    program_.beginUpdate(graph, prog);
  }

  const TapPlan &plan() const { return plan_; }
  bool mergesReplicas() const { return options_.mergeReplicas; }
  const TapProgram &program() const { return program_; }

  // Sent to the host in an average update, by all replicas, if no condition
  // holds. Listed updates are too few to count.
  double bytesPerUpdate() const;

  // Connects all streams and begins to read them. Throws std::invalid_argument
  // if a rule matched no tensor, std::logic_error if a flush is missing or,
  // with control, beginUpdate.
  void connect(poplar::Engine &engine);

  // Continues an earlier start of the program, which made the updates before
  // this one: schedules and samples count from here. After connect, with the
  // engine loaded, before its first run.
  void resumeAt(poplar::Engine &engine, Update update);
  // From connect on; null without control, or if no rule matched a tensor.
  TapControl *control() { return control_.get(); }
  // From connect on, with control: `popscope control DIRECTORY` reaches it
  // until close. The directory exists. Throws what ControlServer throws; does
  // nothing if control() is null.
  void listen(const std::string &directory);
  // All so far.
  std::vector<Intervention> interventions() const {
    return control_ ? control_->interventions() : std::vector<Intervention>();
  }
  // After each run, by all instances: the first one gets the samples of all.
  void exchange();
  // Between runs: waits until the sinks have every sample so far.
  void sync();
  // Between runs, by all instances: gives the sinks what the recorder has kept
  // and they have not got, and lets it go on. Returns how many samples that
  // were.
  std::size_t collectRecorded(poplar::Engine &engine);
  // Whether the recorder has stopped since it was collected: a condition held,
  // or, if health is watched, a tensor was not finite. It waits to be
  // collected. At any time.
  bool hasRecordedEvent() const;
  // Before the first run: what a weight holds, if that is not what the program
  // gives it. A bad one is then named as the cause.
  void setBefore(const std::string &name, const TensorHealth &health);
  // Between connect and the first run: an earlier start has told of the first
  // tensor that was not finite. The sinks get no verdict and no dump from this
  // one.
  void skipVerdict();
  // After sync or close: the first tensor that was not finite, if any and if
  // health is watched.
  std::optional<Verdict> verdict() const;
  // With control, after sync: the program goes on, to be timed, but neither the
  // sinks nor the health nor the report learn anything more of it. `rules` says
  // at the top of each update which of them are due, see TapControl.
  void rehearse(TapControl::Rehearsal rules);
  // Before close: how much of each tap has come.
  TapTraffic traffic() const;
  // The losses of the sinks are known after close.
  TapReport report() const;
  // Syncs and closes the sinks; nothing is read after that. Returns the last
  // report.
  TapReport close();

private:
  TapSession(std::vector<TapRule> rules, const TapOptions &options,
             Instances *instances);

  const TapOptions options_;
  SoleInstance alone_;
  Instances &instances_;
  TapPlan plan_;
  TapProgram program_;
  std::vector<std::unique_ptr<SampleSink>> sinks_;
  std::vector<Injection> injections_;
  FrameQueue queue_;
  std::unique_ptr<TapControl> control_;      // from connect on
  std::unique_ptr<ControlServer> server_;    // from listen to close
  std::unique_ptr<HealthMonitor> monitor_;   // from connect on
  std::unique_ptr<RecorderReader> recorder_; // from connect on
  std::unique_ptr<Drain> drain_;             // from connect to close
  std::optional<TapReport> beforeRehearsal_;
  TapReport lastReport_; // once the drain is gone
};

} // namespace popscope::outfeed
