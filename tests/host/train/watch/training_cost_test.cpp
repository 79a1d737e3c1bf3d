#include "graph/codelets.hpp"
#include "host/train/watch/training_cost.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>

namespace popscope::host {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr unsigned kUpdatesPerExecution = 8;

// A program of four tensors under control, whose executions take as long as the
// test says. It never runs.
class WatchedProgram {
public:
  explicit WatchedProgram(const std::vector<std::string> &rules)
      : session_(parsed(rules), controlled()) {
    const poplar::Device device = poplar::IPUModel().createDevice();
    poplar::Graph graph(device.getTarget());
    graph::addCodelets(graph);
    poplar::program::Sequence prog, top;
    for (const char *name : {"a", "b", "c", "d"}) {
      const poplar::Tensor tensor = graph.addVariable(poplar::FLOAT, {16});
      graph.setTileMapping(tensor, 0);
      session_.visit(graph, prog,
                     {name, graph::TensorKind::activation,
                      graph::TapMoment::microBatch, 0, tensor});
    }
    session_.flush(graph, prog, graph::TapMoment::microBatch);
    session_.beginUpdate(graph, top);
    top.add(prog);
    engine_ = std::make_unique<poplar::Engine>(graph, top);
    session_.connect(*engine_);
  }

  outfeed::TapSession &session() { return session_; }
  // Of each tensor, as it is now.
  std::map<std::string, std::string> schedules() {
    std::map<std::string, std::string> schedules;
    for (const outfeed::ControlStatus &status : session_.control()->status())
      schedules[status.tensor] = status.schedule;
    return schedules;
  }
  // A second, and more by how often `a` is due.
  double executionTime() {
    const std::string schedule = schedules()["a"];
    return schedule == "never" ? 1.0
                               : 1.0 + 0.5 / std::stod(schedule.substr(6));
  }

private:
  static std::vector<outfeed::TapRule>
  parsed(const std::vector<std::string> &texts) {
    std::vector<outfeed::TapRule> rules;
    for (const std::string &text : texts)
      rules.push_back(outfeed::parseTapRule(text));
    return rules;
  }
  static outfeed::TapOptions controlled() {
    outfeed::TapOptions options;
    options.control = options.health = true;
    return options;
  }

  outfeed::TapSession session_;
  std::unique_ptr<poplar::Engine> engine_;
};

TrainingPlan examplePlan() {
  TrainingPlan plan;
  plan.spec.updatesPerRun = kUpdatesPerExecution;
  return plan;
}

InspectionOptions withBudget(double share) {
  InspectionOptions options;
  options.budget = share;
  return options;
}

TEST(TrainingCost, ThinsWhatRulesSampleAndNothingElse) {
  // The first rule is that of a check.
  WatchedProgram program({"b", "a", "c when abs_max>1", "d @ updates 3,5"});
  TrainingCost cost(withBudget(0.02), examplePlan(), program.session(), 1);
  for (int execution = 0; execution < 1000; ++execution)
    cost.executionTook(program.executionTime());
  const auto schedules = program.schedules();
  EXPECT_EQ(schedules.at("a"), "every 32");
  EXPECT_EQ(schedules.at("b"), "every 1");
  EXPECT_EQ(schedules.at("c"), "every 1");
  EXPECT_EQ(schedules.at("d"), "updates 3,5");
}

TEST(TrainingCost, LeavesOneNoteOfAllThatABudgetDid) {
  WatchedProgram program({"a"});
  TrainingCost cost(withBudget(0.02), examplePlan(), program.session(), 0);
  for (int execution = 0; execution < 1000; ++execution)
    cost.executionTook(program.executionTime());
  const auto notes = program.session().control()->takeNotes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0].text,
              AllOf(HasSubstr("budget of 2 %: watching costs 1.56 %"),
                    HasSubstr("rule 1 is due every 32 updates")));
  EXPECT_EQ(cost.result().budget, notes[0].text);
  EXPECT_NEAR(cost.result().rows.front().time->share, 0.5 / 32, 1e-9);
}

TEST(TrainingCost, MeasuresABudgetOnceAllRulesHaveBegun) {
  WatchedProgram program({"a @ every 1 from 100"});
  TrainingCost cost(withBudget(0.02), examplePlan(), program.session(), 0);
  for (unsigned update = 0; update + kUpdatesPerExecution < 100;
       update += kUpdatesPerExecution) {
    cost.executionTook(1.0);
    EXPECT_EQ(program.schedules()["a"], "every 1 from 100");
  }
  cost.executionTook(1.0);
  EXPECT_EQ(program.schedules()["a"], "never");
}

TEST(TrainingCost, SaysIfThereIsNothingToThin) {
  WatchedProgram program({"c when abs_max>1"});
  TrainingCost cost(withBudget(0.02), examplePlan(), program.session(), 0);
  cost.executionTook(1.0);
  EXPECT_THAT(cost.result().budget, HasSubstr("there was nothing to thin"));
}

TEST(TrainingCost, HasARowForEachRuleAndForHealth) {
  WatchedProgram program({"a | b", "c @ every 10 -> shape"});
  TrainingCost cost({}, examplePlan(), program.session(), 0);
  std::vector<std::string> titles;
  std::vector<std::size_t> tensors;
  for (const WatchCost::Row &row : cost.result().rows) {
    titles.push_back(row.title);
    tensors.push_back(row.tensors);
    EXPECT_FALSE(row.time);
  }
  EXPECT_THAT(titles, ElementsAre("rule 1", "rule 2", "health"));
  EXPECT_THAT(tensors, ElementsAre(2, 1, 4));
}

} // namespace
} // namespace popscope::host
