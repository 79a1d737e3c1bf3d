// What an engine with a slice of the replicas shows to its host program.
#include "poplar/instances/instance_link.hpp"
#include "tests/ipumodel/poplar/instances/sliced_model.hpp"
#include "tests/ipumodel/poplar/instances/thread_link.hpp"

#include <gmock/gmock.h>

using namespace poplar;
using namespace poplar::program;
using enginetest::iota;
using instancetest::onInstances;
using instancetest::SlicedModel;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr unsigned kReplicas = 4, kInstances = 2;

// Runs `body` on both instances and expects that nothing is thrown.
void onBoth(const std::function<void(SlicedModel &)> &body) {
  EXPECT_THAT(onInstances(kInstances,
                          [&](unsigned instance) {
                            SlicedModel m(kReplicas, kInstances, instance);
                            body(m);
                          }),
              Each(""));
}

struct Recorder : StreamCallback {
  explicit Recorder(std::vector<int> &seen) : seen(seen) {}
  Result prefetch(void *) override { return Result::NotAvailable; }
  void fetch(void *data) override {
    seen.push_back(*static_cast<const int *>(data));
  }
  void complete() override {}
  std::vector<int> &seen;
};

} // namespace

TEST(LocalSlice, TheIndexOfAReplicaIsThatOfTheWholeProgram) {
  onBoth([](SlicedModel &m) {
    const Tensor index = m.graph.addReplicationIndexConstant("index");
    m.graph.setTileMapping(index, 0);
    const Tensor out = m.add(UNSIGNED_INT, {}, "out");
    m.loadSlice({Copy(index, out)}).run();
    EXPECT_EQ(m.read<unsigned>("out", 2), iota<unsigned>(2, m.first));
  });
}

TEST(LocalSlice, HostTensorsHaveTheReplicasThatAreHere) {
  onBoth([](SlicedModel &m) {
    const Tensor a = m.add(INT, {2}, "a"), b = m.add(INT, {2}, "b");
    m.loadSlice({Copy(a, b)});
    m.write("a", iota<int>(4, int(m.first)));
    m.engine->run();
    EXPECT_EQ(m.read<int>("b", 4), iota<int>(4, int(m.first)));
    std::vector<int> three(3);
    EXPECT_THROW(m.engine->readTensor("b", three.data(), three.data() + 3),
                 stream_connection_error);
  });
}

TEST(LocalSlice, StreamsAndCallbacksAreNumberedFromZero) {
  onBoth([](SlicedModel &m) {
    const Tensor t = m.add(INT, {1}, "t");
    const DataStream in = m.graph.addHostToDeviceFIFO("in", INT, 1);
    const DataStream out = m.graph.addDeviceToHostFIFO("out", INT, 1);
    m.loadSlice({Sequence({Copy(in, t), Copy(t, out)})});
    std::vector<int> given = iota<int>(4, int(m.first)), first, second;
    m.engine->connectStream("in", given.data(), given.data() + 4);
    m.engine->connectStreamToCallback("out", 0,
                                      std::make_unique<Recorder>(first));
    m.engine->connectStreamToCallback("out", 1,
                                      std::make_unique<Recorder>(second));
    EXPECT_THROW(m.engine->connectStreamToCallback(
                     "out", 2, std::make_unique<Recorder>(second)),
                 stream_connection_error);
    m.engine->run();
    m.engine->run();
    EXPECT_THAT(first, ElementsAre(given[0], given[2]));
    EXPECT_THAT(second, ElementsAre(given[1], given[3]));
  });
}

TEST(LocalSlice, ABroadcastStreamIsReadOncePerInstance) {
  onBoth([](SlicedModel &m) {
    const Tensor t = m.add(INT, {2}, "t");
    const DataStream in = m.graph.addHostToDeviceFIFO(
        "in", INT, 2, ReplicatedStreamMode::BROADCAST);
    m.loadSlice({Copy(in, t)});
    std::vector<int> given = iota<int>(2, int(m.first));
    m.engine->connectStream("in", given.data(), given.data() + 2);
    m.engine->run();
    EXPECT_THAT(m.read<int>("t", 4),
                ElementsAre(given[0], given[1], given[0], given[1]));
  });
}

TEST(LocalSlice, RemoteBuffersHaveTheReplicasThatAreHere) {
  onBoth([](SlicedModel &m) {
    const Tensor t = m.add(INT, {2}, "t");
    const RemoteBuffer buffer = m.graph.addRemoteBuffer("buffer", INT, 2, 1);
    m.loadSlice({Copy(buffer, t), Copy(t, buffer)});
    for (unsigned r = 0; r < 2; ++r) {
      std::vector<int> row = iota<int>(2, int(m.first + r));
      m.engine->copyToRemoteBuffer(row.data(), "buffer", 0, r);
    }
    m.engine->run(0);
    const int first = int(m.first);
    EXPECT_THAT(m.read<int>("t", 4),
                ElementsAre(first, first + 1, first + 1, first + 2));
    int row[2];
    EXPECT_THROW(m.engine->copyFromRemoteBuffer("buffer", row, 0, 2),
                 index_error);
  });
}

TEST(LocalSlice, TheDeviceIsThatOfTheInstance) {
  onBoth([](SlicedModel &m) {
    const Tensor a = m.add(INT, {1}, "a"), b = m.add(INT, {1}, "b");
    Engine engine(m.graph, Copy(a, b), m.options());
    try {
      engine.load(m.device); // of all instances
      ADD_FAILURE();
    } catch (const poplar_error &error) {
      EXPECT_THAT(error.what(), HasSubstr("2 IPU(s) in each instance"));
    }
  });
}

TEST(LocalSlice, OneStoredExecutableIsForAllInstances) {
  std::string stored[kInstances];
  onBoth([&](SlicedModel &m) {
    const Tensor index = m.graph.addReplicationIndexConstant("index");
    m.graph.setTileMapping(index, 0);
    const Tensor out = m.add(UNSIGNED_INT, {}, "out");
    std::ostringstream file;
    compileGraph(m.graph, {Copy(index, out)}, m.options()).serialize(file);
    stored[m.first / m.count] = file.str();
  });
  EXPECT_EQ(stored[0], stored[1]);
  onBoth([&](SlicedModel &m) {
    std::istringstream file(stored[0]);
    m.engine =
        std::make_unique<Engine>(Executable::deserialize(file), m.options());
    m.engine->load(enginetest::modelDevice(4, m.count));
    m.engine->run();
    EXPECT_EQ(m.read<unsigned>("out", 2), iota<unsigned>(2, m.first));
  });
}

TEST(LocalSlice, CrossReplicaCopyReachesOtherInstances) {
  const std::map<unsigned, unsigned> destinations{
      {0, 1}, {1, 3}, {2, 0}, {3, 2}};
  for (const std::size_t elements : {3u, 5000u}) { // with or without a message
    const auto all = iota<int>(4 * elements);
    onBoth([&](SlicedModel &m) {
      const Tensor a = m.add(INT, {elements}, "a");
      const Tensor b = m.add(INT, {elements}, "b");
      m.loadSlice({CrossReplicaCopy(a, b, destinations)});
      m.write("a", m.sliceOf(all));
      m.engine->run();
      std::vector<int> expected(all.size());
      for (const auto &[from, to] : destinations)
        std::copy_n(all.begin() + std::ptrdiff_t(from * elements), elements,
                    expected.begin() + std::ptrdiff_t(to * elements));
      EXPECT_EQ(m.read<int>("b", 2 * elements), m.sliceOf(expected));
    });
  }
}

TEST(LocalSlice, UnequalPartsAreRefused) {
  SlicedModel m(4, 2, 0);
  const Tensor a = m.add(INT, {1}, "a"), b = m.add(INT, {1}, "b");
  const auto with = [&](const char *first, const char *count) {
    Engine(m.graph, Copy(a, b),
           {{"target.firstRuntimeReplica", first},
            {"target.numberRuntimeReplica", count}});
  };
  EXPECT_NO_THROW(with("2", "2"));
  EXPECT_THROW(with("0", "3"), invalid_option);
  EXPECT_THROW(with("1", "2"), invalid_option);
  EXPECT_THROW(with("3", "2"), invalid_option);
  EXPECT_THROW(with("0", "0"), invalid_option);
}

TEST(LocalSlice, AnEngineOfOtherReplicasThanTheInstanceIsRefused) {
  EXPECT_THAT(onInstances(2,
                          [&](unsigned) {
                            SlicedModel m(4, 2, 0); // instance 0 on both
                            const Tensor a = m.add(INT, {1}, "a"),
                                         b = m.add(INT, {1}, "b");
                            m.loadSlice({Copy(a, b)});
                          }),
              ElementsAre("", HasSubstr("replicas 0 to 1 of 4 are those of "
                                        "instance 0 of 2, but this is "
                                        "instance 1 of 2")));
}

TEST(LocalSlice, ReplicasCannotBeChosenByARun) {
  onBoth([](SlicedModel &m) {
    const Tensor a = m.add(INT, {1}, "a"), b = m.add(INT, {1}, "b");
    m.loadSlice({Copy(a, b)});
    EXPECT_THROW(m.engine->run(0, "",
                               RuntimeOptions({{"target.firstRuntimeReplica",
                                                m.first ? "0" : "2"}})),
                 invalid_option);
  });
}
