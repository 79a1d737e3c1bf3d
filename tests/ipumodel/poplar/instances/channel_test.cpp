// Instances that disagree or do not come: an error on all of them, in time.
#include "poplar/instances/instance_channel.hpp"
#include "tests/ipumodel/poplar/instances/sliced_model.hpp"
#include "tests/ipumodel/poplar/instances/thread_link.hpp"

#include <gcl/Collectives.hpp>
#include <popops/codelets.hpp>

#include <chrono>
#include <cstring>
#include <gmock/gmock.h>
#include <memory>
#include <thread>

using namespace poplar;
using namespace poplar::program;
using instancetest::onInstances;
using instancetest::SlicedModel;
using testing::AllOf;
using testing::ContainsRegex;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

// A reduction of `elements` numbers, named `name`.
Sequence reduction(SlicedModel &m, const std::string &name,
                   std::size_t elements = 2) {
  Sequence prog;
  gcl::allReduceCrossReplica(m.graph, m.add(FLOAT, {elements}, name),
                             gcl::CollectiveOperator::ADD, prog, {name});
  return prog;
}

void addBoth(SlicedModel &m, Sequence &a, Sequence &b) {
  popops::addCodelets(m.graph);
  a = reduction(m, "apples");
  b = reduction(m, "pears");
}

} // namespace

TEST(InstanceChannel, DifferentStepsAreNamedOnEveryInstance) {
  const auto errors = onInstances(3, [](unsigned instance) {
    SlicedModel m(3, 3, instance);
    Sequence apples, pears;
    addBoth(m, apples, pears);
    m.loadSlice({apples, pears});
    m.engine->run(0);
    m.engine->run(instance == 1 ? 1 : 0);
  });
  EXPECT_THAT(errors, Each(AllOf(HasSubstr("the instances disagree"),
                                 HasSubstr("instance 1 is at gcl.reduce "
                                           "'pears"),
                                 HasSubstr("is at gcl.reduce 'apples"),
                                 HasSubstr("(exchange 1)"))));
}

TEST(InstanceChannel, EqualNamesWithOtherSizesAreToldApart) {
  const auto errors = onInstances(2, [](unsigned instance) {
    SlicedModel m(2, 2, instance);
    popops::addCodelets(m.graph);
    m.loadSlice({reduction(m, "apples", 2 + instance)});
    m.engine->run();
  });
  EXPECT_THAT(errors, Each(HasSubstr("with other operators, types or sizes")));
}

TEST(InstanceChannel, TheFirstDecisionThatDiffersIsNamed) {
  const auto errors = onInstances(2, [](unsigned instance) {
    SlicedModel m(4, 2, instance);
    Sequence apples, pears;
    addBoth(m, apples, pears);
    const Tensor same = m.add(BOOL, {}, "same");
    const Tensor ripe = m.add(BOOL, {}, "ripe");
    const Tensor late = m.add(BOOL, {}, "late");
    m.loadSlice({Sequence({If(same, apples, pears), If(ripe, apples, apples),
                           If(late, pears, pears)})});
    const bool isRipe = instance == 0;
    m.write<char>("same", {1, 1});
    m.write<char>("ripe", {isRipe, isRipe});
    m.write<char>("late", {isRipe, isRipe});
    m.engine->run();
  });
  EXPECT_THAT(errors,
              Each(AllOf(HasSubstr("control flow differs between instances"),
                         HasSubstr("'ripe' is 1 in instance 0"),
                         HasSubstr("'ripe' is 0 in instance 1"),
                         HasSubstr("(decision 1)"))));
}

TEST(InstanceChannel, ADecisionThatDiffersAmongTheReplicasHereNamesThem) {
  const auto errors = onInstances(2, [](unsigned instance) {
    SlicedModel m(4, 2, instance);
    const Tensor flag = m.add(BOOL, {}, "flag");
    m.loadSlice({If(flag, Sequence(), Sequence())});
    m.write<char>("flag", {0, 1});
    m.engine->run();
  });
  EXPECT_THAT(errors, ElementsAre(HasSubstr("'flag' is 0 in replica 0 and 1 in "
                                            "replica 1"),
                                  HasSubstr("'flag' is 0 in replica 2 and 1 in "
                                            "replica 3")));
}

TEST(InstanceChannel, WaitingEndsAtTheTimeoutNamingWhoIsMissing) {
  const auto errors = onInstances(3, [](unsigned instance) {
    SlicedModel m(3, 3, instance);
    popops::addCodelets(m.graph);
    const Sequence apples = reduction(m, "apples");
    m.loadSlice({apples}, "0.2");
    if (instance != 2)
      m.engine->run();
  });
  const auto missing =
      AllOf(HasSubstr("after 0.2 seconds (option target.hostSyncTimeout)"),
            // The other may be late on a busy machine.
            ContainsRegex("instances? ([01], )?2 did not come to gcl.reduce "
                          "'apples"));
  EXPECT_THAT(errors, ElementsAre(missing, missing, ""));
}

// One of two instances, whose twin announces each step and sends nothing else.
class SilentTwin : public ipumodel::InstanceLink {
public:
  unsigned numInstances() const override { return 2; }
  unsigned index() const override { return 0; }
  std::vector<unsigned>
  transfer(const std::vector<ipumodel::OutgoingBlock> &outgoing,
           std::vector<ipumodel::IncomingBlock> &incoming, Deadline) override {
    if (isAnnounced_)
      return {1};
    isAnnounced_ = true;
    incoming[0].bytes = outgoing[0].bytes;
    std::memcpy(incoming[0].data, outgoing[0].data, outgoing[0].bytes);
    return {};
  }

private:
  bool isAnnounced_ = false;
};

TEST(InstanceChannel, WhoCameAndSentNothingDidNotFinish) {
  ipumodel::InstanceChannel channel(std::make_shared<SilentTwin>(),
                                    std::chrono::seconds(7));
  std::vector<char> data(2 * ipumodel::InstanceChannel::kSmall);
  const std::vector<ipumodel::OutgoingBlock> outgoing{
      {1, data.data(), data.size()}};
  std::vector<ipumodel::IncomingBlock> incoming{{1, data.data(), data.size()}};
  try {
    channel.exchange(ipumodel::ExchangeStep("step"), outgoing, incoming);
    ADD_FAILURE() << "it ended well";
  } catch (const system_runtime_error &error) {
    EXPECT_THAT(error.what(), HasSubstr("after 7 seconds"));
    EXPECT_THAT(error.what(), HasSubstr("instance 1 did not finish step"));
  }
}

TEST(InstanceChannel, ATimeoutOfManyYearsDoesNotEndAtOnce) {
  const auto errors = onInstances(2, [](unsigned instance) {
    SlicedModel m(2, 2, instance);
    popops::addCodelets(m.graph);
    m.loadSlice({reduction(m, "apples")}, "1000000000000");
    if (instance == 1) // else the other would not have to wait
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    m.engine->run();
  });
  EXPECT_THAT(errors, Each(""));
}

TEST(InstanceChannel, TheTimeoutOfARunOverridesTheEngines) {
  const auto errors = onInstances(2, [](unsigned instance) {
    SlicedModel m(2, 2, instance);
    popops::addCodelets(m.graph);
    m.loadSlice({reduction(m, "apples")});
    if (instance == 0)
      m.engine->run(0, "",
                    RuntimeOptions({{"target.hostSyncTimeout", "0.25"}}));
  });
  EXPECT_THAT(errors[0], HasSubstr("after 0.25 seconds"));
}

TEST(InstanceChannel, ProgramsWithoutCollectivesNeverWait) {
  const auto errors = onInstances(2, [](unsigned instance) {
    SlicedModel m(4, 2, instance);
    popops::addCodelets(m.graph);
    const Tensor a = m.add(FLOAT, {3}, "a");
    Sequence prog;
    // Within the instance.
    gcl::allReduceInPlaceCrossReplica(
        m.graph, const_cast<Tensor &>(a), gcl::CollectiveOperator::ADD, prog,
        gcl::CommGroup(gcl::CommGroupType::CONSECUTIVE, 2), {"pairs"});
    if (instance == 1)
      return;
    m.loadSlice({prog}, "0.05");
    m.write<float>("a", {1, 2, 3, 4, 5, 6});
    m.engine->run();
    EXPECT_THAT(m.read<float>("a", 6), ElementsAre(5, 7, 9, 5, 7, 9));
  });
  EXPECT_THAT(errors, Each(""));
}
