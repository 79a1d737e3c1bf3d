#include "model.hpp"

#include <gmock/gmock.h>

using namespace poplar;
using namespace poplar::program;
using enginetest::iota;
using enginetest::Model;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

// Records the calls of a callback, in order.
class Recorder : public StreamCallback {
public:
  Recorder(std::vector<std::string> &log, int &next, int available)
      : log_(log), next_(next), available_(available) {}
  Result prefetch(void *p) override {
    if (available_ == 0)
      return Result::NotAvailable;
    --available_;
    log_.push_back("prefetch " + std::to_string(next_));
    ++pending_;
    *static_cast<int *>(p) = next_++;
    return Result::Success;
  }
  void fetch(void *p) override {
    log_.push_back("fetch " + std::to_string(next_));
    *static_cast<int *>(p) = next_++;
  }
  void complete() override {
    log_.push_back("complete");
    if (pending_)
      --pending_;
  }
  void invalidatePrefetched() override {
    log_.push_back("invalidate");
    next_ -= pending_;
    pending_ = 0;
  }

private:
  std::vector<std::string> &log_;
  int &next_;
  int available_;
  int pending_ = 0;
};

struct InStream : Model {
  InStream() {
    value = add(INT, {1}, "value");
    stream = graph.addHostToDeviceFIFO("in", INT, 1);
  }
  Tensor value;
  DataStream stream;
};

const OptionFlags kPrefetch{{"exchange.streamBufferOverlap", "none"}};

} // namespace

TEST(Stream, APointerIsReadAtTheSamePlaceEveryTime) {
  InStream s;
  s.load(Copy(s.stream, s.value));
  int data[2] = {5, 6};
  s.engine->connectStream("in", data);
  s.engine->run();
  EXPECT_THAT(s.read<int>("value", 1), ElementsAre(5));
  data[0] = 9;
  s.engine->run();
  EXPECT_THAT(s.read<int>("value", 1), ElementsAre(9));
}

TEST(Stream, ARangeIsReadRoundAndRoundAcrossRuns) {
  InStream s;
  s.load(Copy(s.stream, s.value));
  std::vector<int> data = {1, 2, 3};
  s.engine->connectStream("in", data.data(), data.data() + 3);
  std::vector<int> seen;
  for (int i = 0; i < 7; ++i) {
    s.engine->run();
    seen.push_back(s.read<int>("value", 1)[0]);
  }
  EXPECT_THAT(seen, ElementsAre(1, 2, 3, 1, 2, 3, 1));
  s.engine->connectStream("in", data.data(), data.data() + 3);
  s.engine->run();
  EXPECT_THAT(s.read<int>("value", 1), ElementsAre(1));
}

TEST(Stream, ARangeThatIsNotAMultipleOfTheTransferIsRefused) {
  Model m;
  const Tensor t = m.add(INT, {4}, "t");
  const DataStream stream = m.graph.addHostToDeviceFIFO("in", INT, 4);
  m.load(Copy(stream, t));
  std::vector<int> data(6);
  EXPECT_THROW(m.engine->connectStream("in", data.data(), data.data() + 6),
               stream_connection_error);
}

TEST(Stream, OfNoElementsTakesAnEmptyRange) {
  Model m;
  const Tensor t = m.add(INT, {0}, "t"), other = m.add(INT, {1}, "other");
  const DataStream in = m.graph.addHostToDeviceFIFO("in", INT, 0);
  const DataStream out = m.graph.addDeviceToHostFIFO("out", INT, 0);
  m.load(Sequence({Copy(in, t), Copy(t, out), Copy(other, other)}));
  std::vector<int> none, one(1);
  for (const char *handle : {"in", "out"}) {
    EXPECT_THROW(m.engine->connectStream(handle, one.data(), one.data() + 1),
                 stream_connection_error);
    m.engine->connectStream(handle, none.data(), none.data());
  }
  EXPECT_NO_THROW(m.engine->run());
}

TEST(Stream, DeviceToHostFillsARange) {
  Model m;
  const Tensor t = m.add(INT, {2, 2}, "t");
  const DataStream stream = m.graph.addDeviceToHostFIFO("out", INT, 4);
  m.load(Sequence({Copy(t.transpose(), stream), Copy(t, stream)}));
  m.write("t", iota<int>(4));
  std::vector<int> data(8);
  m.engine->connectStream("out", data.data(), data.data() + 8);
  m.engine->run();
  EXPECT_THAT(data, ElementsAre(0, 2, 1, 3, 0, 1, 2, 3));
}

TEST(Stream, WithoutPrefetchEachTransferIsFetchAndComplete) {
  InStream s;
  s.load(Repeat(2, Copy(s.stream, s.value)));
  std::vector<std::string> log;
  int next = 0;
  s.engine->connectStreamToCallback("in",
                                    std::make_unique<Recorder>(log, next, 100));
  s.engine->run();
  EXPECT_THAT(log, ElementsAre("fetch 0", "complete", "fetch 1", "complete"));
}

TEST(Stream, PrefetchedDataAreUsedByTheNextTransfer) {
  InStream s;
  s.load({Copy(s.stream, s.value)}, kPrefetch);
  std::vector<std::string> log;
  int next = 0;
  s.engine->connectStreamToCallback("in",
                                    std::make_unique<Recorder>(log, next, 1));
  for (int i = 0; i < 3; ++i) {
    s.engine->run();
    EXPECT_THAT(s.read<int>("value", 1), ElementsAre(i));
  }
  EXPECT_THAT(log, ElementsAre("fetch 0", "complete", "prefetch 1", "complete",
                               "fetch 2", "complete"));
}

TEST(Stream, BufferingDepthAllowsThatManyTransfersAhead) {
  Model m;
  const Tensor t = m.add(INT, {1}, "value");
  const DataStream stream = m.graph.addHostToDeviceFIFO(
      "in", INT, 1, ReplicatedStreamMode::REPLICATE, {{"bufferingDepth", "3"}});
  m.load({Copy(stream, t)}, kPrefetch);
  std::vector<std::string> log;
  int next = 0;
  m.engine->connectStreamToCallback("in",
                                    std::make_unique<Recorder>(log, next, 100));
  m.engine->run();
  EXPECT_THAT(log, ElementsAre("fetch 0", "complete", "prefetch 1",
                               "prefetch 2", "prefetch 3"));
  for (int i = 1; i < 8; ++i) {
    m.engine->run();
    EXPECT_THAT(m.read<int>("value", 1), ElementsAre(i));
  }
}

TEST(Stream, ReconnectingDropsWhatWasPrefetched) {
  InStream s;
  s.load({Copy(s.stream, s.value)}, kPrefetch);
  std::vector<std::string> log, other;
  int next = 0, otherNext = 50;
  s.engine->connectStreamToCallback("in",
                                    std::make_unique<Recorder>(log, next, 100));
  s.engine->run();
  s.engine->connectStreamToCallback(
      "in", std::make_unique<Recorder>(other, otherNext, 0));
  EXPECT_EQ(log.back(), "invalidate");
  s.engine->run();
  EXPECT_THAT(s.read<int>("value", 1), ElementsAre(50));
}

TEST(Stream, LoadingAgainDropsWhatWasPrefetched) {
  InStream s;
  s.load({Copy(s.stream, s.value)}, kPrefetch);
  std::vector<std::string> log;
  int next = 0;
  s.engine->connectStreamToCallback("in",
                                    std::make_unique<Recorder>(log, next, 100));
  s.engine->run();
  s.engine->load(s.device);
  EXPECT_EQ(log.back(), "invalidate");
  s.engine->run();
  EXPECT_THAT(s.read<int>("value", 1), ElementsAre(1));
}

TEST(Stream, LambdasServeAsCallbacksInBothDirections) {
  Model m;
  const Tensor t = m.add(INT, {3}, "t");
  const DataStream in = m.graph.addHostToDeviceFIFO("in", INT, 3);
  const DataStream out = m.graph.addDeviceToHostFIFO("out", INT, 3);
  m.load(Sequence({Copy(in, t), Copy(t, out)}));
  std::vector<int> got;
  m.engine->connectStreamToCallback("in", [](void *p) {
    for (int i = 0; i < 3; ++i)
      static_cast<int *>(p)[i] = 10 * i;
  });
  const auto receive = [&](void *p) {
    const int *values = static_cast<const int *>(p);
    got.assign(values, values + 3);
  };
  m.engine->connectStreamToCallback("out", receive);
  m.engine->run();
  EXPECT_THAT(got, ElementsAre(0, 10, 20));
}

// A whole tensor is fetched where it is, others are copied there.
TEST(Stream, ACallbackFillsItsTensorAndNothingElse) {
  Model m;
  const Tensor t = m.add(INT, {40}, "t");
  const Tensor square = m.add(INT, {2, 2}, "square");
  const Tensor whole = m.add(INT, {4}, "whole");
  const DataStream in = m.graph.addHostToDeviceFIFO("in", INT, 4);
  m.load(Sequence({Copy(in, t.slice(0, 4)), Copy(in, t.slice(5, 9)),
                   Copy(in, t.slice(16, 20)), Copy(in, square.transpose()),
                   Copy(in, whole)}));
  int next = 1;
  m.engine->connectStreamToCallback("in", [&](void *p) {
    for (int i = 0; i < 4; ++i)
      static_cast<int *>(p)[i] = next++;
  });
  m.engine->run();
  std::vector<int> expected(40);
  for (int i = 0; i < 4; ++i) {
    expected[i] = 1 + i;
    expected[5 + i] = 5 + i;
    expected[16 + i] = 9 + i;
  }
  EXPECT_EQ(m.read<int>("t", 40), expected);
  EXPECT_THAT(m.read<int>("square", 4), ElementsAre(13, 15, 14, 16));
  EXPECT_THAT(m.read<int>("whole", 4), ElementsAre(17, 18, 19, 20));
}

TEST(Stream, AnExceptionOfACallbackLeavesRun) {
  InStream s;
  s.load(Copy(s.stream, s.value));
  s.engine->connectStreamToCallback(
      "in", [](void *) { throw std::runtime_error("no more data"); });
  EXPECT_THROW(s.engine->run(), std::runtime_error);
}

TEST(Stream, UsingAStreamThatIsNotConnectedNamesIt) {
  InStream s;
  s.load(Copy(s.stream, s.value));
  try {
    s.engine->run();
    FAIL() << "ran without data";
  } catch (const stream_connection_error &e) {
    EXPECT_THAT(e.what(), HasSubstr("'in'"));
  }
}

TEST(Stream, ConnectingAnUnknownHandleNamesIt) {
  InStream s;
  s.load(Copy(s.stream, s.value));
  int data = 0;
  try {
    s.engine->connectStream("inn", &data);
    FAIL() << "connected";
  } catch (const stream_connection_error &e) {
    EXPECT_THAT(e.what(), HasSubstr("'inn'"));
  }
}
