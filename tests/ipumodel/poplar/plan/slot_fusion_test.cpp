// Batches that are put into slots and taken from them are what they were,
// wherever fusion keeps them.
#include "tests/support/scoped_env.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <poputil/TileMapping.hpp>

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

using namespace poplar;
using program::Sequence;

namespace {

struct Stashed {
  std::vector<float> out, slots;
};

// Slots for batches, initially 9. Programs put a batch into the slot with the
// first index and take one from the slot with the second.
class SlotModel {
public:
  SlotModel(unsigned put, unsigned take, const OptionFlags &options)
      : options_(options), at_(add(UNSIGNED_INT, {2})) {
    graph.setInitialValue<unsigned>(at_, {put, take});
    popops::fill(graph, slots, prog, 9.0f);
  }

  void put(const Tensor &batch) {
    popops::dynamicUpdate(graph, slots, batch.expand({0}), at_.slice(0, 1), {0},
                          {1}, prog, {}, options_);
  }
  void take(const Tensor &batch) {
    popops::dynamicSliceWithOutput(graph, batch.expand({0}), slots,
                                   at_.slice(1, 2), {0}, {1}, prog, {},
                                   options_);
  }
  Tensor addBatch() { return add(FLOAT, {kBatch, kRest}); }

  Stashed run(const Tensor &out, const char *fusion) {
    const ScopedEnv fusionEnv("IPUMODEL_FUSION", fusion);
    graph.createHostWrite("x", x);
    graph.createHostRead("out", out);
    graph.createHostRead("slots", slots);
    Engine engine(graph, prog);
    engine.load(device_);
    std::vector<float> values(kBatch * kRest);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = float(i % 977);
    engine.writeTensor("x", values.data(), values.data() + values.size());
    engine.run();
    Stashed read;
    read.out.resize(values.size());
    read.slots.resize(kSlots * values.size());
    engine.readTensor("out", read.out.data(),
                      read.out.data() + read.out.size());
    engine.readTensor("slots", read.slots.data(),
                      read.slots.data() + read.slots.size());
    return read;
  }

private:
  static constexpr std::size_t kBatch = 11, kRest = 1000, kSlots = 2;

  Tensor add(const Type &type, const std::vector<std::size_t> &shape) {
    const Tensor tensor = graph.addVariable(type, shape);
    poputil::mapTensorLinearly(graph, tensor);
    return tensor;
  }

  const Device device_ = IPUModel().createDevice();
  const OptionFlags options_;

public:
  Graph graph{device_.getTarget()};
  Sequence prog;
  const Tensor x = addBatch();
  const Tensor slots = add(FLOAT, {kSlots, kBatch, kRest});

private:
  const Tensor at_;
};

// What happens to a batch after it was put into a slot, and to one that was
// taken.
enum class Then { isRead, isChanged };

// Doubles a batch and puts it into a slot; takes a slot and adds 1. The batch
// that is taken is initially 7, if it has an initial value.
Stashed stash(unsigned put, unsigned take, const OptionFlags &options,
              const char *fusion, std::optional<Then> then = {}) {
  SlotModel m(put, take, options);
  const Tensor taken = m.addBatch();
  if (!then)
    popops::fill(m.graph, taken, m.prog, 7.0f);
  const Tensor y = popops::mul(m.graph, m.x, 2.0f, m.prog);
  m.put(y);
  if (then == Then::isChanged)
    popops::mulInPlace(m.graph, y, 3.0f, m.prog);
  const Tensor later = then ? popops::add(m.graph, y, 1.0f, m.prog) : m.x;
  m.take(taken);
  if (then == Then::isChanged)
    popops::mulInPlace(m.graph, taken, 5.0f, m.prog);
  Tensor out = popops::add(m.graph, taken, 1.0f, m.prog);
  if (then)
    out = popops::sub(m.graph, popops::mul(m.graph, out, taken, m.prog), later,
                      m.prog);
  return m.run(out, fusion);
}

// A batch is made and read by stages of one chain that also contains the next
// step: putting it into a slot, or replacing it by one.
enum class Next { put, take };

Stashed makeBatch(Next next, unsigned slot, const OptionFlags &options,
                  const char *fusion) {
  SlotModel m(slot, slot, options);
  const Tensor zero = m.graph.addConstant(UNSIGNED_INT, {1}, 0u);
  m.graph.setTileMapping(zero, 0);
  // A chain must begin with this; element-wise operations can only follow
  // others.
  const Tensor first =
      popops::dynamicSlice(m.graph, m.x.expand({0}), zero, {0}, {1}, m.prog)[0];
  const Tensor batch = popops::square(m.graph, first, m.prog);
  const Tensor out = popops::add(m.graph, first, batch, m.prog);
  if (next == Next::put)
    m.put(batch);
  else
    m.take(batch);
  popops::addInPlace(m.graph, out, batch, m.prog);
  return m.run(out, fusion);
}

} // namespace

TEST(SlotFusion, BatchesInASlotAreWhatWasPutThere) {
  const OptionFlags options[] = {
      {}, {{"remapOutOfBoundIndices", "true"}}, {{"paddingIndexUsed", "true"}}};
  for (const OptionFlags &option : options)
    for (unsigned put = 0; put < 3; ++put)
      for (unsigned take = 0; take < 3; ++take) {
        SCOPED_TRACE("put " + std::to_string(put) + ", take " +
                     std::to_string(take));
        const Stashed apart = stash(put, take, option, "0");
        const Stashed fused = stash(put, take, option, "1");
        EXPECT_EQ(fused.out, apart.out);
        EXPECT_EQ(fused.slots, apart.slots);
      }
  const Stashed same = stash(1, 1, {}, "1");
  EXPECT_EQ(same.out[500], 1001.0f);
  EXPECT_EQ(same.slots[500], 9.0f);
  EXPECT_EQ(stash(1, 0, {}, "1").out[500], 10.0f);
  EXPECT_EQ(stash(1, 2, {}, "1").out[500], 8.0f) << "taken stays as it was";
}

// Nothing else uses the batches, so they need not be copied unless that makes a
// difference.
TEST(SlotFusion, BatchesMayBeInASlotFromTheStart) {
  const OptionFlags options[] = {{{"remapOutOfBoundIndices", "true"}},
                                 {{"paddingIndexUsed", "true"}}};
  for (const OptionFlags &option : options)
    for (const Then then : {Then::isRead, Then::isChanged})
      for (unsigned put = 0; put < 3; ++put)
        for (unsigned take = 0; take < 3; ++take) {
          SCOPED_TRACE("put " + std::to_string(put) + ", take " +
                       std::to_string(take));
          const Stashed apart = stash(put, take, option, "0", then);
          const Stashed fused = stash(put, take, option, "1", then);
          EXPECT_EQ(fused.out, apart.out);
          EXPECT_EQ(fused.slots, apart.slots);
        }
  EXPECT_EQ(stash(1, 0, {}, "1", Then::isRead).slots[11500], 1000.0f);
}

TEST(SlotFusion, ABatchMadeAndReadMayBeInASlotOnlyIfPutThere) {
  const OptionFlags options[] = {{{"remapOutOfBoundIndices", "true"}},
                                 {{"paddingIndexUsed", "true"}}};
  for (const OptionFlags &option : options)
    for (const Next next : {Next::put, Next::take})
      for (unsigned slot = 0; slot < 3; ++slot) {
        SCOPED_TRACE("slot " + std::to_string(slot));
        const Stashed apart = makeBatch(next, slot, option, "0");
        const Stashed fused = makeBatch(next, slot, option, "1");
        EXPECT_EQ(fused.out, apart.out);
        EXPECT_EQ(fused.slots, apart.slots);
      }
  EXPECT_EQ(makeBatch(Next::take, 1, options[0], "1").slots[11500], 9.0f);
  EXPECT_EQ(makeBatch(Next::put, 1, options[0], "1").slots[11500], 250000.0f);
}
