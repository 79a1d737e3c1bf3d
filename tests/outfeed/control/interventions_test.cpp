#include "outfeed/control/interventions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>

namespace popscope::outfeed {
namespace {

using graph::TapMoment;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

TensorTraits tensor(const std::string &name,
                    TapMoment moment = TapMoment::microBatch,
                    graph::TensorKind kind = graph::TensorKind::activation) {
  TensorTraits traits;
  traits.name = name;
  traits.moment = moment;
  traits.kind = kind;
  return traits;
}

const std::vector<TensorTraits> kAll = {
    tensor("a_acts"), tensor("b_acts"),
    tensor("w_grad", TapMoment::microBatch, graph::TensorKind::gradient),
    tensor("w_grad", TapMoment::accumulated, graph::TensorKind::gradient)};

// All but b_acts may be changed.
class InterventionsTest : public testing::Test {
protected:
  std::vector<std::string> ask(const ControlRequest &request) {
    return interventions.ask(request, Update(next_), kAll);
  }
  std::vector<std::string> ask(const std::string &filter, ElementChange change,
                               std::uint32_t updates) {
    ControlRequest request;
    request.interventions = {{filter, change}};
    request.forUpdates = updates;
    return ask(request);
  }
  std::vector<std::string> cancel(const std::string &filter) {
    ControlRequest request;
    request.cancel = {filter};
    return ask(request);
  }
  // The notes of the next update.
  std::vector<std::string> begin() {
    const Update update(next_++);
    words = interventions.wordsAt(update);
    return interventions.notesAt(update);
  }
  std::vector<std::string> done() const {
    std::vector<std::string> lines;
    for (const Intervention &item : interventions.history(Update(next_)))
      lines.push_back(lineOf(item));
    return lines;
  }

  Interventions interventions{{kAll[0], kAll[2], kAll[3]}, 1};
  std::vector<InterventionWords> words;

private:
  std::uint32_t next_ = 0;
};

constexpr ElementChange kZero{InterventionKind::zero, 0};
constexpr ElementChange kHalf{InterventionKind::scale, 0.5f};

TEST_F(InterventionsTest, HoldForTheUpdatesAskedForAndSayWhenTheyAreOver) {
  begin();
  EXPECT_THAT(ask("a_acts", kHalf, 2),
              ElementsAre("intervention: a_acts scaled by 0.5 for 2 updates"));
  for (unsigned update = 0; update < 2; ++update) {
    EXPECT_THAT(begin(), IsEmpty());
    EXPECT_EQ(words[0].kind, unsigned(InterventionKind::scale));
    EXPECT_EQ(words[0].amount, 0.5f);
    EXPECT_EQ(words[1].kind, unsigned(InterventionKind::none));
  }
  EXPECT_THAT(begin(), ElementsAre("intervention over: a_acts"));
  EXPECT_EQ(words[0].kind, unsigned(InterventionKind::none));
  EXPECT_THAT(begin(), IsEmpty());
  EXPECT_THAT(done(), ElementsAre("intervention at updates 1 to 2: a_acts "
                                  "scaled by 0.5"));
}

TEST_F(InterventionsTest, ALaterOneReplacesTheFirst) {
  ask("a_acts", kHalf, 10);
  begin();
  ask("a_acts", kZero, 1);
  EXPECT_THAT(begin(), IsEmpty());
  EXPECT_EQ(words[0].kind, unsigned(InterventionKind::zero));
  EXPECT_THAT(begin(), ElementsAre("intervention over: a_acts"));
  EXPECT_THAT(done(),
              ElementsAre("intervention at update 0: a_acts scaled by 0.5",
                          "intervention at update 1: a_acts set to 0"));
}

TEST_F(InterventionsTest, AreCanceled) {
  ask("*", kHalf, 10);
  begin();
  EXPECT_THAT(cancel("a_acts"), ElementsAre("intervention canceled: a_acts"));
  EXPECT_THAT(begin(), IsEmpty());
  EXPECT_EQ(words[0].kind, unsigned(InterventionKind::none));
  EXPECT_EQ(words[1].kind, unsigned(InterventionKind::scale));
  EXPECT_THAT([&] { cancel("a_acts"); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("nothing is done to 'a_acts'")));
  // What never began is not part of what was done.
  ask("a_acts", kZero, 5);
  cancel("a_acts");
  begin();
  EXPECT_EQ(words[0].kind, unsigned(InterventionKind::none));
  EXPECT_EQ(done().size(), 2u);
}

TEST_F(InterventionsTest, OfANameWithSeveralMomentsTakeTheFirst) {
  ask("w_grad", kHalf, 1);
  begin();
  EXPECT_EQ(words[1].kind, unsigned(InterventionKind::scale));
  EXPECT_EQ(words[2].kind, unsigned(InterventionKind::none));
  ask("w_grad & at:accumulated", kHalf, 1);
  begin();
  EXPECT_EQ(words[1].kind, unsigned(InterventionKind::none));
  EXPECT_EQ(words[2].kind, unsigned(InterventionKind::scale));
}

TEST_F(InterventionsTest, SayWhatIsWrongWithARequest) {
  const auto expectRefusal = [this](const ControlRequest &request,
                                    const char *reason) {
    EXPECT_THAT([&] { ask(request); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(reason)));
  };
  ControlRequest request;
  request.interventions = {{"b_acts", kZero}};
  expectRefusal(request, "start the program with --allow-intervention "
                         "'b_acts' to be able to");
  request.interventions = {{"c_acts", kZero}};
  expectRefusal(request, "no tensor matches 'c_acts'; the nearest are");
  request.interventions = {{"a_acts", kZero}};
  request.forUpdates = 0;
  expectRefusal(request, "1 update or more");
  request.interventions.clear();
  request.forUpdates = 3;
  expectRefusal(request, "say of which tensors");
}

TEST_F(InterventionsTest, StatusHasWhatIsDoneNext) {
  ask("a_acts", kZero, 3);
  begin();
  const std::vector<InterventionStatus> status =
      interventions.status(Update(1));
  ASSERT_EQ(status.size(), 3u);
  EXPECT_EQ(status[0].tensor, "a_acts");
  EXPECT_EQ(status[0].change, "set to 0");
  EXPECT_EQ(status[0].updatesLeft, 2u);
  EXPECT_EQ(status[1].change, "");
}

TEST_F(InterventionsTest, OfAnEarlierStartAreRepeatedOrRefused) {
  const std::vector<Intervention> earlier = {
      {"b_acts", TapMoment::microBatch, "b_acts", kZero, Update(0), Update(4)},
      {"a_acts", TapMoment::microBatch, "a_acts", kZero, Update(4), Update(6)}};
  Interventions resumed({kAll[0]}, 1);
  EXPECT_THAT([&] { resumed.repeat(earlier, Update(4)); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("add --allow-intervention 'b_acts'")));
  resumed.repeat(earlier, Update(5));
  EXPECT_THAT(resumed.notesAt(Update(5)),
              ElementsAre("intervention at updates 4 to 6: a_acts set to 0, as "
                          "before"));
  EXPECT_EQ(resumed.wordsAt(Update(6))[0].kind,
            unsigned(InterventionKind::zero));
  EXPECT_EQ(resumed.wordsAt(Update(7))[0].kind,
            unsigned(InterventionKind::none));
  EXPECT_EQ(resumed.history(Update(5)).size(), 2u); // nothing is forgotten
}

} // namespace
} // namespace popscope::outfeed
