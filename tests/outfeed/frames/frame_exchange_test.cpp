#include "outfeed/frames/frame_exchange.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utility>

namespace popscope::outfeed {
namespace {

using ::testing::ElementsAre;

// What the other instances sent is kept for the first one.
class Mail : public Instances {
public:
  Mail(const ReplicaSlice &slice, std::vector<std::string> &sent)
      : Instances(slice), sent_(sent) {}

  std::vector<std::string> gather(const std::string &bytes,
                                  const std::string &) override {
    sent_[slice().instance] = bytes;
    return slice().isFirst() ? sent_ : std::vector<std::string>();
  }
  void broadcast(void *, std::size_t, const std::string &) override {}
  bool any(bool here, const std::string &) override { return here; }

private:
  std::vector<std::string> &sent_;
};

Frame frameOf(unsigned replica, std::uint64_t number) {
  return {{7, replica, number}, {std::byte(replica), std::byte(number)}, false};
}

TEST(FrameExchange, FirstInstanceGetsUpdateAfterUpdateAndReplicaAfterReplica) {
  std::vector<std::string> sent(2);
  Mail first({2, 0, 4}, sent), second({2, 1, 4}, sent);
  FrameExchange here(first), there(second);
  there.hold(frameOf(3, 0), Update(0));
  there.hold(frameOf(2, 0), Update(0));
  there.hold(frameOf(3, 1), Update(0)); // later in the same update
  there.hold(frameOf(2, 1), Update(1));
  here.hold(frameOf(1, 0), Update(0));
  here.hold(frameOf(1, 1), Update(1));
  here.hold(frameOf(0, 0), Update(1));
  there.exchange({4, 8, 1}, [](const Frame &) { FAIL(); });
  std::vector<std::pair<unsigned, std::uint64_t>> order;
  here.exchange({3, 6, 0}, [&](const Frame &frame) {
    order.emplace_back(frame.origin.replica, frame.origin.number);
    EXPECT_EQ(frame.origin.source, 7u);
    EXPECT_THAT(frame.bytes, ElementsAre(std::byte(frame.origin.replica),
                                         std::byte(frame.origin.number)));
  });
  using Place = std::pair<unsigned, std::uint64_t>;
  EXPECT_THAT(order,
              ElementsAre(Place(1, 0), Place(2, 0), Place(3, 0), Place(3, 1),
                          Place(0, 0), Place(1, 1), Place(2, 1)));
  EXPECT_EQ(here.elsewhere().pushed, 4u);
  EXPECT_EQ(here.elsewhere().bytes, 8u);
  EXPECT_EQ(here.elsewhere().dropped, 1u);
}

TEST(FrameExchange, NothingIsGivenTwice) {
  std::vector<std::string> sent(2);
  Mail first({2, 0, 2}, sent), second({2, 1, 2}, sent);
  FrameExchange here(first), there(second);
  there.hold(frameOf(1, 0), Update(0));
  there.exchange({}, {});
  unsigned given = 0;
  here.exchange({}, [&](const Frame &) { ++given; });
  there.exchange({}, {});
  here.exchange({}, [&](const Frame &) { ++given; });
  EXPECT_EQ(given, 1u);
}

} // namespace
} // namespace popscope::outfeed
