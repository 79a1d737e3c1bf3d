// A program that poprun starts as several instances:
//   instance_program <what> [arguments]
// It prints lines that begin with what they are about; poprun_test.py says what
// it expects.
#include "tests/ipumodel/poplar/instances/collective_cases.hpp"

#include <poplar/DeviceManager.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iostream>
#include <limits>
#include <popdist/collectives.hpp>
#include <popdist/popdist_poplar.hpp>
#include <thread>
#include <type_traits>

using namespace poplar;
using namespace poplar::program;
using instancetest::CollectiveCases;
using instancetest::SlicedModel;

namespace {

unsigned here() { return popdist::getInstanceIndex(); }
unsigned all() { return popdist::getNumInstances(); }

void expect(bool holds, const std::string &what) {
  if (!holds)
    throw std::runtime_error("instance " + std::to_string(here()) + ": " +
                             what);
}

SlicedModel slice() {
  return SlicedModel(popdist::getNumTotalReplicas(), all(), here());
}

void print(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line + '\n';
  std::fwrite(text.data(), 1, text.size(), stdout);
}

// Sums, broadcasts and gathers of one type.
template <class T> void checkType(const Type &type, std::size_t count) {
  const auto valueOf = [&](unsigned instance, std::size_t i) {
    return static_cast<T>(std::is_same<T, bool>::value
                              ? (instance + i) % 3 == 0
                              : std::numeric_limits<T>::max() / 2 +
                                    static_cast<T>(instance * 7 + i));
  };
  const std::string name = type.toString().cloneAsString();
  const std::unique_ptr<T[]> own(new T[count]), many(new T[count * all()]);
  const auto fill = [&] {
    for (std::size_t i = 0; i < count; ++i)
      own[i] = valueOf(here(), i);
  };

  fill();
  popdist::collectives::allGather(own.get(), many.get(), count, type);
  for (unsigned k = 0; k < all(); ++k)
    for (std::size_t i = 0; i < count; ++i)
      expect(many[k * count + i] == valueOf(k, i), "allGather of " + name);
  std::fill_n(many.get(), count * all(), T(0));
  std::copy_n(own.get(), count, many.get() + here() * count);
  popdist::collectives::allGather(nullptr, many.get(), count, type,
                                  popdist::defaultCommunicatorId(), true);
  for (unsigned k = 0; k < all(); ++k)
    for (std::size_t i = 0; i < count; ++i)
      expect(many[k * count + i] == valueOf(k, i),
             "allGather in place of " + name);

  const unsigned root = all() - 1;
  popdist::collectives::broadcast(own.get(), count, type, root);
  for (std::size_t i = 0; i < count; ++i)
    expect(own[i] == valueOf(root, i), "broadcast of " + name);

  if (std::is_same<T, bool>::value)
    return;
  fill();
  popdist::collectives::allReduceSum(own.get(), count, type);
  for (std::size_t i = 0; i < count; ++i) {
    T sum = valueOf(0, i);
    for (unsigned k = 1; k < all(); ++k)
      sum = static_cast<T>(
          std::is_floating_point<T>::value
              ? static_cast<T>(sum + valueOf(k, i))
              : static_cast<T>(static_cast<std::uint64_t>(sum) +
                               static_cast<std::uint64_t>(valueOf(k, i))));
    expect(own[i] == sum, "allReduceSum of " + name);
  }
}

void checkHalves() {
  const Target target = Target::createIPUTarget(1, "ipu2");
  for (const std::size_t count : {3u, 5001u}) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = float(i % 100) / 8 + float(here());
    std::vector<std::uint16_t> halves(count);
    copyFloatToDeviceHalf(target, values.data(), halves.data(), count);
    popdist::collectives::allReduceSum(halves.data(), count, HALF);
    copyDeviceHalfToFloat(target, halves.data(), values.data(), count);
    for (std::size_t i = 0; i < count; ++i)
      expect(values[i] == float(i % 100) / 8 * float(all()) +
                              float(all() * (all() - 1) / 2),
             "allReduceSum of halves");
  }
}

void hostCollectives() {
  popdist::registerDefaultBackend();
  expect(!popdist::isBackendInitialized(), "initialised too early");
  popdist::initializeBackend();
  for (const std::size_t count : {1u, 10u, 10007u}) {
    checkType<bool>(BOOL, count);
    checkType<unsigned char>(UNSIGNED_CHAR, count);
    checkType<signed char>(SIGNED_CHAR, count);
    checkType<unsigned short>(UNSIGNED_SHORT, count);
    checkType<short>(SHORT, count);
    checkType<unsigned>(UNSIGNED_INT, count);
    checkType<int>(INT, count);
    checkType<unsigned long long>(UNSIGNED_LONGLONG, count);
    checkType<long long>(LONGLONG, count);
  }
  std::vector<float> floats(5000, 0.1f * float(here() + 1));
  popdist::collectives::allReduceSum(floats.data(), floats.size(), FLOAT);
  float sum = 0.1f;
  for (unsigned k = 1; k < all(); ++k)
    sum += 0.1f * float(k + 1);
  expect(floats[4999] == sum, "allReduceSum of floats");
  checkHalves();
  popdist::synchronize();

  // Two names, from two threads, in opposite orders on odd and even instances.
  std::vector<int> a(2000, 1), b(2000, 2);
  const auto reduce = [](std::vector<int> &data, const char *name) {
    popdist::collectives::allReduceSum(data.data(), data.size(), INT, name);
  };
  const bool isEven = here() % 2 == 0;
  auto first = std::async(std::launch::async, [&] {
    reduce(isEven ? a : b, isEven ? "weights/a" : "weights/b");
  });
  auto second = std::async(std::launch::async, [&] {
    reduce(isEven ? b : a, isEven ? "weights/b" : "weights/a");
  });
  first.get();
  second.get();
  expect(a[1999] == int(all()) && b[0] == 2 * int(all()), "named in any order");

  // The first two instances only.
  if (here() < 2) {
    popdist::registerCommunicator({0, 1}, "pair");
    int value = int(here()) + 1;
    popdist::collectives::allReduceSum(&value, 1, INT, "pair");
    expect(value == 3, "a communicator of two");
  }
  popdist::finalizeBackend();
  print({"ok " + std::to_string(here())});
}

// As of a program for hardware: the device is that of the instance. The
// instances load one executable from a file, which instance 0 has written.
void executable(const std::string &path) {
  const auto manager = DeviceManager::createDeviceManager();
  const Device device = manager.getDevice(unsigned(popdist::getDeviceId()));
  const Target &local = device.getTarget();
  const unsigned total = popdist::getNumTotalReplicas();
  const OptionFlags options{{"target.firstRuntimeReplica",
                             std::to_string(popdist::getReplicaIndexOffset())},
                            {"target.numberRuntimeReplica",
                             std::to_string(popdist::getNumLocalReplicas())}};
  popdist::registerDefaultBackend();
  popdist::initializeBackend();
  if (here() == 0) {
    Graph graph(Target::createIPUTarget(local.getNumIPUs() * all(),
                                        local.getTargetArchString(),
                                        local.getTargetOptions()),
                replication_factor(total));
    popops::addCodelets(graph);
    const Tensor index = graph.addReplicationIndexConstant("index");
    graph.setTileMapping(index, 0);
    const Tensor own = graph.addVariable(UNSIGNED_INT, {1}, "own");
    graph.setTileMapping(own, 0);
    Sequence prog{Copy(index, own[0])};
    const Tensor sum = gcl::allReduceCrossReplica(
        graph, own, gcl::CollectiveOperator::ADD, prog);
    graph.createHostRead("own", own);
    graph.createHostRead("sum", sum);
    std::ofstream file(path, std::ios::binary);
    compileGraph(graph, {prog}, options).serialize(file);
  }
  popdist::synchronize();
  std::ifstream file(path, std::ios::binary);
  Engine engine(Executable::deserialize(file), options);
  engine.load(device);
  popdist::run(engine, 0);
  std::vector<unsigned> own(popdist::getNumLocalReplicas()), sum(own.size());
  engine.readTensor("own", own.data(), own.data() + own.size());
  engine.readTensor("sum", sum.data(), sum.data() + sum.size());
  std::vector<std::string> lines;
  for (std::size_t r = 0; r < own.size(); ++r)
    lines.push_back("replica " + std::to_string(own[r]) + " of " +
                    std::to_string(here()) + " has " + std::to_string(sum[r]));
  print(lines);
}

// Every instance reduces "apples" again and again; one of them does otherwise.
void misbehave(const std::string &how, unsigned who,
               const std::string &timeout) {
  SlicedModel m = slice();
  popops::addCodelets(m.graph);
  Sequence apples, pears;
  gcl::allReduceCrossReplica(m.graph, m.add(FLOAT, {8}, "apples"),
                             gcl::CollectiveOperator::ADD, apples, {"apples"});
  gcl::allReduceCrossReplica(m.graph, m.add(FLOAT, {8}, "pears"),
                             gcl::CollectiveOperator::ADD, pears, {"pears"});
  const Tensor ripe = m.add(BOOL, {}, "ripe");
  m.loadSlice({apples, pears, Sequence({If(ripe, apples, pears)})}, timeout);
  const bool isHere = who == here();
  m.write("ripe", std::vector<char>(m.count, isHere ? 0 : 1));
  for (int run = 0; run < 100; ++run) {
    if (isHere && run == 50) {
      if (how == "throw")
        throw std::runtime_error("a planted fault");
      if (how == "exit")
        std::exit(3);
      if (how == "kill")
        std::raise(SIGKILL);
      if (how == "hang")
        for (;;)
          std::this_thread::sleep_for(std::chrono::hours(1));
      if (how == "leave")
        return;
    }
    if (how == "decide" && run == 50)
      popdist::run(*m.engine, 2);
    else
      popdist::run(*m.engine, how == "stray" && isHere && run == 50 ? 1 : 0);
  }
}

// Instances 1 and 3 have a communicator, and exchange different sizes.
void disagree() {
  popdist::registerDefaultBackend();
  popdist::initializeBackend();
  if (here() % 2 == 0)
    return;
  popdist::registerCommunicator({1, 3}, "odd");
  std::vector<int> values(here());
  popdist::collectives::allReduceSum(values.data(), values.size(), INT, "odd");
}

} // namespace

int main(int argc, char **argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    const std::string what = words.at(0);
    if (what == "collectives")
      hostCollectives();
    else if (what == "disagree")
      disagree();
    else if (what == "cases") { // starts the backend by itself
      SlicedModel m = slice();
      std::ofstream file(words.at(1) + std::to_string(here()));
      for (const std::string &line : CollectiveCases(m).run())
        file << line << '\n';
    } else if (what == "slice") { // whatever the environment says
      SlicedModel m(4, 2, 1);
      m.loadSlice({Sequence()});
    } else if (what == "executable")
      executable(words.at(1));
    else
      misbehave(what, unsigned(std::stoul(words.at(1))), words.at(2));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "instance %u: %s\n", here(), error.what());
    return 4;
  }
  return 0;
}
