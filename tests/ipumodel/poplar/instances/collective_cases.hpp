// Every kind of collective, on data whose sums depend on their order, in one
// program.
#pragma once

#include "tests/ipumodel/poplar/instances/sliced_model.hpp"

#include <gcl/Collectives.hpp>
#include <popops/codelets.hpp>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace instancetest {

// Numbers of both signs over many powers of two, the same for every layout.
inline float wildFloat(std::uint32_t seed) {
  seed = (seed ^ 61) ^ (seed >> 16);
  seed *= 9;
  seed ^= seed >> 4;
  seed *= 0x27d4eb2d;
  seed ^= seed >> 15;
  const std::uint32_t exponent = 117 + (seed >> 9) % 20;
  const std::uint32_t bits =
      (seed << 31) | exponent << 23 | (seed >> 8 & 0x7fffff);
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

class CollectiveCases {
public:
  // Adds the cases to a model of four or more replicas, and loads it.
  explicit CollectiveCases(SlicedModel &m) : m_(m) {
    using namespace gcl;
    popops::addCodelets(m.graph);
    const unsigned total = m.graph.getReplicationFactor();
    const CommGroup groups[] = {
        {},
        CommGroup(CommGroupType::CONSECUTIVE, 2),
        CommGroup(CommGroupType::ORTHOGONAL, 2),
        CommGroup(CommGroupType::CONSECUTIVE, total),
    };
    const CollectiveOperator operators[] = {
        CollectiveOperator::ADD,  CollectiveOperator::MEAN,
        CollectiveOperator::MUL,  CollectiveOperator::MIN,
        CollectiveOperator::MAX,  CollectiveOperator::SQUARE_ADD,
        CollectiveOperator::LOCAL};
    for (const CommGroup &group : groups) {
      for (const CollectiveOperator op : operators)
        for (const poplar::Type &type :
             {poplar::FLOAT, poplar::HALF, poplar::INT, poplar::UNSIGNED_INT}) {
          const bool isWhole =
              type == poplar::INT || type == poplar::UNSIGNED_INT;
          if (isWhole && op == CollectiveOperator::MEAN)
            continue;
          reduce(type, 37, op, group);
          scatter(type, 37, op, group);
        }
      for (const CollectiveOperator op :
           {CollectiveOperator::LOGICAL_AND, CollectiveOperator::LOGICAL_OR})
        reduce(poplar::BOOL, 5, op, group);
      // More than travels with an announcement, and not divisible.
      reduce(poplar::FLOAT, 4099, CollectiveOperator::ADD, group);
      reduce(poplar::HALF, 8191, CollectiveOperator::MEAN, group);
      scatter(poplar::FLOAT, 4099, CollectiveOperator::ADD, group);
      reduce(poplar::FLOAT, 1, CollectiveOperator::ADD, group);
      gather(poplar::FLOAT, 13, group);
      gather(poplar::FLOAT, 2049, group);
      exchange(7, group, groupSize(group, total));
      exchange(1025, group, groupSize(group, total));
    }
    m.loadSlice({prog_});
  }

  // What each replica of this instance has after a run: one line for each case,
  // "<replica> <case> <bytes as hexadecimal>".
  std::vector<std::string> run() {
    for (const Case &c : cases_)
      m_.write(c.input, inputOf(c));
    m_.engine->run();
    std::vector<std::string> lines;
    for (const Case &c : cases_) {
      const auto all =
          m_.read<unsigned char>(c.output, c.outputBytes * m_.count);
      for (unsigned r = 0; r < m_.count; ++r) {
        std::string line = std::to_string(m_.first + r) + ' ' + c.output + ' ';
        for (std::size_t i = r * c.outputBytes; i < (r + 1) * c.outputBytes;
             ++i) {
          line += "0123456789abcdef"[all[i] >> 4];
          line += "0123456789abcdef"[all[i] & 15];
        }
        lines.push_back(line);
      }
    }
    return lines;
  }

private:
  struct Case {
    std::string input, output;
    poplar::Type type;
    std::size_t elements; // of the input
    std::size_t outputBytes;
  };

  static unsigned groupSize(const gcl::CommGroup &group, unsigned total) {
    return group.type == gcl::CommGroupType::ALL ? total
                                                 : group.replicaGroupSize;
  }
  poplar::Tensor input(const poplar::Type &type,
                       const std::vector<std::size_t> &shape) {
    return m_.add(type, shape, "in" + std::to_string(cases_.size()));
  }
  void output(const poplar::Tensor &in, const poplar::Tensor &out,
              const std::string &kind) {
    const std::string number = std::to_string(cases_.size());
    cases_.push_back({"in" + number, "out" + number + kind, in.elementType(),
                      in.numElements(),
                      out.numElements() *
                          m_.graph.getTarget().getTypeSize(out.elementType())});
    m_.graph.createHostRead(cases_.back().output, out);
  }
  void reduce(const poplar::Type &type, std::size_t count,
              gcl::CollectiveOperator op, const gcl::CommGroup &group) {
    const poplar::Tensor in = input(type, {count});
    output(in, gcl::allReduceCrossReplica(m_.graph, in, op, prog_, group),
           "reduce");
  }
  void scatter(const poplar::Type &type, std::size_t count,
               gcl::CollectiveOperator op, const gcl::CommGroup &group) {
    const poplar::Tensor in = input(type, {count});
    output(in, gcl::reduceScatterCrossReplica(m_.graph, in, op, prog_, group),
           "scatter");
  }
  void gather(const poplar::Type &type, std::size_t count,
              const gcl::CommGroup &group) {
    const poplar::Tensor in = input(type, {count});
    output(in, gcl::allGatherCrossReplica(m_.graph, in, prog_, group),
           "gather");
  }
  void exchange(std::size_t count, const gcl::CommGroup &group, unsigned size) {
    const poplar::Tensor in = input(poplar::FLOAT, {size, count});
    output(in, gcl::allToAllCrossReplica(m_.graph, in, prog_, group),
           "exchange");
  }
  std::vector<char> inputOf(const Case &c) const {
    const std::size_t size = m_.graph.getTarget().getTypeSize(c.type);
    std::vector<char> bytes(c.elements * size * m_.count);
    for (std::size_t i = 0; i < c.elements * m_.count; ++i) {
      const auto seed = static_cast<std::uint32_t>(
          (i + c.elements * m_.first) * 2654435761u + c.elements);
      const float wild = wildFloat(seed);
      char *to = bytes.data() + i * size;
      if (c.type == poplar::HALF)
        poplar::copyFloatToDeviceHalf(m_.graph.getTarget(), &wild, to, 1);
      else if (c.type == poplar::FLOAT)
        std::memcpy(to, &wild, size);
      else if (c.type == poplar::BOOL)
        *to = seed >> 13 & 1;
      else
        std::memcpy(to, &seed, size);
    }
    return bytes;
  }

  SlicedModel &m_;
  poplar::program::Sequence prog_;
  std::vector<Case> cases_;
};

} // namespace instancetest
