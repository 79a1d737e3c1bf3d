#include "outfeed/control/tap_control.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace popscope::outfeed {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char *kTensors[] = {"a_acts", "b_acts", "c_acts"};

// A program of three tensors, whose updates begin when the test says so.
class Program {
public:
  explicit Program(const std::vector<std::string> &rules,
                   TapPlan::Alarms alarms = TapPlan::Alarms::none)
      : plan_(parsed(rules), alarms, TapPlan::Control::live) {
    for (const char *name : kTensors) {
      TensorTraits tensor;
      tensor.name = name;
      tensor.numElements = 10;
      const Tap *const tap = plan_.add(tensor);
      plan_.addStandbys(tensor);
      plan_.addAlarm(tensor, tap);
    }
    control_ = std::make_unique<TapControl>(plan_);
  }

  TapControl &control() { return *control_; }
  const TapPlan &plan() const { return plan_; }

  // What is due at the next update: names with payloads.
  std::vector<std::string> next() {
    control_->beginUpdate();
    std::vector<std::string> due;
    for (const Tap &tap : plan_.taps())
      if (control_->isDue(tap.id))
        due.push_back(tap.tensor.name + " " + nameOf(tap.payload));
    return due;
  }
  std::vector<std::string> alarmsDue() const {
    std::vector<std::string> due;
    for (const Tap &tap : plan_.alarms())
      if (control_->isDue(tap.id))
        due.push_back(tap.tensor.name);
    return due;
  }

  std::string refusal(const ControlRequest &request) {
    try {
      control_->apply(request);
    } catch (const std::invalid_argument &error) {
      return error.what();
    }
    return "";
  }

private:
  static std::vector<TapRule> parsed(const std::vector<std::string> &texts) {
    std::vector<TapRule> rules;
    for (const std::string &text : texts)
      rules.push_back(parseTapRule(text));
    return rules;
  }

  TapPlan plan_;
  std::unique_ptr<TapControl> control_;
};

ControlRequest enabling(const std::string &filter) {
  ControlRequest request;
  request.enable = {filter};
  return request;
}

ControlRequest disabling(const std::string &filter) {
  ControlRequest request;
  request.disable = {filter};
  return request;
}

TEST(TapControl, BeginsAsTheRulesSay) {
  Program program({"a_acts @ every 2", "b_acts @ never"});
  EXPECT_THAT(program.next(), ElementsAre("a_acts stats"));
  EXPECT_THAT(program.next(), IsEmpty());
  EXPECT_THAT(program.next(), ElementsAre("a_acts stats"));
}

TEST(TapControl, AChangeHoldsFromTheUpdateItIsConfirmedWith) {
  Program program({"a_acts", "b_acts @ never"});
  program.next();
  TapControl::Change on = program.control().apply(enabling("b_acts"));
  EXPECT_THAT(program.next(), ElementsAre("a_acts stats", "b_acts stats"));
  EXPECT_EQ(on.update.get(), Update(1));
  TapControl::Change off = program.control().apply(disabling("acts"));
  EXPECT_THAT(program.next(), IsEmpty());
  EXPECT_EQ(off.update.get(), Update(2));
  const std::vector<ControlNote> notes = program.control().takeNotes();
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0].update, Update(1));
  EXPECT_EQ(notes[0].text, "turned on b_acts");
  EXPECT_EQ(notes[1].update, Update(2));
  EXPECT_THAT(program.control().takeNotes(), IsEmpty());
}

TEST(TapControl, WhatIsTurnedOnMayHaveAnotherPeriod) {
  Program program({"a_acts"});
  ControlRequest request = enabling("a_acts");
  request.every = 3;
  program.control().apply(request);
  for (unsigned update = 0; update < 7; ++update)
    EXPECT_EQ(program.next().empty(), update % 3 != 0) << update;
}

TEST(TapControl, ATensorHasOnePayloadAtATime) {
  Program program(
      {"a_acts -> stats", "a_acts @ never -> shape", "a_acts @ never -> full"});
  EXPECT_THAT(program.next(), ElementsAre("a_acts stats"));
  ControlRequest request = enabling("a_acts");
  request.payload = Payload::shape;
  program.control().apply(request);
  EXPECT_THAT(program.next(), ElementsAre("a_acts shape"));
  request = {};
  request.dump = {"a_acts"};
  program.control().apply(request);
  EXPECT_THAT(program.next(), ElementsAre("a_acts full"));
  EXPECT_THAT(program.next(), ElementsAre("a_acts shape"));
  program.control().askEverythingOnce();
  EXPECT_THAT(program.next(), ElementsAre("a_acts full"));
  EXPECT_THAT(program.next(), ElementsAre("a_acts shape"));
  const TapId full = program.plan().taps()[2].id;
  EXPECT_EQ(program.control().updateOfTransfer(full, 0), Update(2));
  EXPECT_EQ(program.control().updateOfTransfer(full, 1), Update(4));
}

TEST(TapControl, EverythingIsOnForOneUpdateWhenAsked) {
  Program program({"* @ never"});
  EXPECT_THAT(program.next(), IsEmpty());
  program.control().askEverythingOnce();
  EXPECT_THAT(program.next(),
              ElementsAre("a_acts stats", "b_acts stats", "c_acts stats"));
  EXPECT_THAT(program.next(), IsEmpty());
  const std::vector<ControlNote> notes = program.control().takeNotes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].update, Update(1));
}

TEST(TapControl, AnAlarmIsSentUnlessAnotherTapTellsAsMuch) {
  Program program({"a_acts", "b_acts @ never", "b_acts @ never -> full"},
                  TapPlan::Alarms::everywhere);
  program.next();
  EXPECT_THAT(program.alarmsDue(), ElementsAre("b_acts", "c_acts"));
  program.control().apply(enabling("b_acts"));
  program.control().apply(disabling("a_acts"));
  program.next();
  EXPECT_THAT(program.alarmsDue(), ElementsAre("a_acts", "c_acts"));
  ControlRequest dump;
  dump.dump = {"b_acts"};
  program.control().apply(dump);
  EXPECT_THAT(program.next(), ElementsAre("b_acts full"));
  EXPECT_THAT(program.alarmsDue(), ElementsAre("a_acts", "b_acts", "c_acts"));
}

TEST(TapControl, RefusesWhatIsNotCompiledInAndSaysWhatToAdd) {
  Program program({"a_acts", "b_acts @ never -> shape"});
  EXPECT_THAT(program.refusal(enabling("c_acts")),
              HasSubstr("the rule 'c_acts @ never'"));
  EXPECT_THAT(program.refusal(enabling("d_acts")),
              HasSubstr("the nearest are a_acts"));
  EXPECT_THAT(program.refusal(enabling("knd:x")), HasSubstr("no property"));
  ControlRequest dump;
  dump.dump = {"acts"};
  EXPECT_THAT(program.refusal(dump),
              HasSubstr("only the payload stats, shape is compiled in; start "
                        "the program with the rule 'acts @ never -> full'"));
  ControlRequest every;
  every.every = 2;
  EXPECT_THAT(program.refusal(every), HasSubstr("of which tensors"));
  every.enable = {"a_acts"};
  every.every = 0;
  EXPECT_THAT(program.refusal(every), HasSubstr("1 or more"));
}

TEST(TapControl, ARefusedRequestChangesNothing) {
  Program program({"a_acts", "b_acts @ never"});
  ControlRequest request = enabling("b_acts");
  request.disable = {"a_acts", "nowhere"};
  EXPECT_NE(program.refusal(request), "");
  EXPECT_THAT(program.next(), ElementsAre("a_acts stats"));
  EXPECT_THAT(program.control().takeNotes(), IsEmpty());
}

TEST(TapControl, CountsFromTheUpdateItIsResumedAt) {
  Program program({"a_acts @ every 10"});
  program.control().resumeAt(Update(19));
  EXPECT_THAT(program.next(), IsEmpty());
  TapControl::Change off = program.control().apply(disabling("a_acts"));
  EXPECT_THAT(program.next(), IsEmpty());
  EXPECT_EQ(off.update.get(), Update(20));
}

TEST(TapControl, WhoWaitsWhenTheProgramEndsIsTold) {
  Program program({"a_acts"});
  TapControl::Change early = program.control().apply(disabling("a_acts"));
  program.control().close();
  EXPECT_EQ(early.update.get(), std::nullopt);
  EXPECT_THAT(program.control().answer(disabling("a_acts")).refusal,
              HasSubstr("ended"));
}

TEST(TapControl, TheLimitsOfAConditionCanChange) {
  Program program({"a_acts", "a_acts @ never when abs_max>1e4 -> full"});
  const TapId armed = program.plan().taps()[1].id;
  program.next();
  EXPECT_EQ(program.control().limit(armed, 0), 1e4f);
  ControlRequest request = enabling("*");
  request.when = "abs_max>2.5";
  program.control().apply(request);
  EXPECT_THAT(program.next(), ElementsAre("a_acts full"));
  EXPECT_EQ(program.control().limit(armed, 0), 2.5f);
  EXPECT_EQ(program.control().status()[0].when, "abs_max>2.5");
  request.when = "abs_max<2.5";
  EXPECT_THAT(program.refusal(request),
              HasSubstr("the rule '* @ never when abs_max<2.5'"));
  ControlRequest dump;
  dump.dump = {"a_acts"};
  EXPECT_THAT(program.refusal(dump), HasSubstr("only under a condition"));
}

TEST(TapControl, ARuleIsThinnedWithoutANote) {
  Program program({"a_acts", "b_acts @ every 2"});
  program.control().setEvery(0, 4);
  EXPECT_THAT(program.next(), ElementsAre("a_acts stats", "b_acts stats"));
  EXPECT_THAT(program.next(), IsEmpty());
  EXPECT_THAT(program.next(), ElementsAre("b_acts stats"));
  EXPECT_EQ(program.control().status().front().schedule, "every 4");
  program.control().setEvery(1, 0);
  program.next();
  EXPECT_THAT(program.next(), ElementsAre("a_acts stats"));
  EXPECT_THAT(program.control().takeNotes(), IsEmpty());
  program.control().note("as text");
  ASSERT_EQ(program.control().takeNotes().size(), 1u);
}

TEST(TapControl, UpdatesThatARuleListsAreNotThinned) {
  Program program({"a_acts @ every 1 updates 3"});
  program.control().setEvery(0, 0);
  for (unsigned update = 0; update < 6; ++update)
    EXPECT_EQ(program.next().empty(), update != 3) << update;
}

TEST(TapControl, WhatARequestTurnedOnIsNotThinned) {
  Program program({"acts"});
  program.control().setEvery(0, 0);
  program.control().apply(enabling("a_acts"));
  program.control().apply(disabling("b_acts"));
  EXPECT_THAT(program.next(), ElementsAre("a_acts stats"));
  program.control().setEvery(0, 5);
  for (unsigned update = 1; update < 5; ++update)
    EXPECT_THAT(program.next(), ElementsAre("a_acts stats"));
  EXPECT_THAT(program.next(), ElementsAre("a_acts stats", "c_acts stats"));
}

TEST(TapControl, InARehearsalNoTensorIsChanged) {
  const Program program({"a_acts"});
  TapControl control(program.plan(),
                     Interventions(program.plan().tensors(), 1));
  ControlRequest request;
  request.interventions = {{"a_acts", {InterventionKind::zero, 0}}};
  request.forUpdates = 3;
  control.apply(request);
  control.beginUpdate();
  EXPECT_EQ(control.intervention(0).kind, unsigned(InterventionKind::zero));
  const std::vector<bool> rules = {true};
  control.rehearse([&]() -> const std::vector<bool> & { return rules; });
  control.takeNotes();
  for (unsigned update = 1; update < 5; ++update) {
    control.beginUpdate();
    EXPECT_EQ(control.intervention(0).kind, unsigned(InterventionKind::none));
  }
  EXPECT_THAT(control.takeNotes(), IsEmpty());
}

TEST(TapControl, InARehearsalOnlyTheRulesThatItNamesAreDue) {
  Program program({"a_acts @ every 10", "b_acts", "c_acts @ never"});
  program.next();
  std::vector<bool> rules = {true, false, false};
  program.control().rehearse(
      [&]() -> const std::vector<bool> & { return rules; });
  EXPECT_THAT(program.next(), ElementsAre("a_acts stats"));
  EXPECT_THAT(program.next(), ElementsAre("a_acts stats"));
  rules = {false, false, false};
  EXPECT_THAT(program.next(), IsEmpty());
  program.control().rehearse({});
  EXPECT_THAT(program.next(), ElementsAre("b_acts stats"));
}

TEST(TapControl, KnowsAtWhichShareOfTheUpdatesARuleWasDue) {
  Program program({"a_acts @ every 4", "b_acts", "c_acts @ never"});
  for (unsigned update = 0; update < 8; ++update)
    program.next();
  EXPECT_DOUBLE_EQ(program.control().dueShare(0), 0.25);
  EXPECT_DOUBLE_EQ(program.control().dueShare(1), 1.0);
  EXPECT_DOUBLE_EQ(program.control().dueShare(2), 0.0);
}

TEST(TapControl, TellsHowTheTapsStand) {
  Program program({"a_acts @ every 2", "a_acts @ never -> full",
                   "b_acts @ "
                   "never"});
  for (int update = 0; update < 4; ++update)
    program.next();
  const ControlReply reply = program.control().answer({});
  EXPECT_EQ(reply.update, Update(3));
  ASSERT_EQ(reply.status.size(), 2u);
  EXPECT_EQ(reply.status[0].tensor, "a_acts");
  EXPECT_EQ(reply.status[0].schedule, "every 2");
  EXPECT_EQ(reply.status[0].sent, 2u);
  EXPECT_TRUE(reply.status[0].isOn);
  EXPECT_THAT(reply.status[0].payloads, ElementsAre("stats", "full"));
  EXPECT_FALSE(reply.status[1].isOn);
}

} // namespace
} // namespace popscope::outfeed
