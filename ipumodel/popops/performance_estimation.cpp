#include <popops/PerformanceEstimation.hpp>

#include <algorithm>

namespace popops {
namespace internal {

using poplar::Target;
using poplar::Type;

namespace {

constexpr std::uint64_t kVertexCycles = 20; // of a worker, to enter and leave
constexpr std::uint64_t kRowCycles = 6;     // to fetch an address and a size
constexpr unsigned kBitsPerByte = 8;

std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / std::max<std::uint64_t>(b, 1);
}

// Elements that the data path moves at once, at least one.
unsigned elementsPerMove(unsigned dataPathWidth, unsigned elementBytes) {
  return std::max(1u,
                  dataPathWidth / kBitsPerByte / std::max(1u, elementBytes));
}

// The workers of a tile take turns: n of them take n times as long as one.
std::uint64_t sharedByWorkers(unsigned workers, std::uint64_t vectors,
                              std::uint64_t cyclesPerVector) {
  return workers *
         (kVertexCycles + ceilDiv(vectors, workers) * cyclesPerVector);
}

// Load, compute and store of a vector; division and powers take several
// instructions.
unsigned cyclesPerVector(expr::BinaryOpType op) {
  switch (op) {
  case expr::BinaryOpType::ATAN2:
  case expr::BinaryOpType::DIVIDE:
  case expr::BinaryOpType::REMAINDER:
    return 8;
  case expr::BinaryOpType::POWER:
    return 20;
  default:
    return 3;
  }
}

} // namespace

std::uint64_t basicOpSupervisorOverhead(const bool isScaledPtr64Type) {
  return kVertexCycles + (isScaledPtr64Type ? 1 : 0);
}

std::uint64_t basicOpLoopCycles(const unsigned numElems,
                                const unsigned vectorSize,
                                const unsigned cyclesPerVector) {
  return ceilDiv(numElems, vectorSize) * cyclesPerVector;
}

std::uint64_t binaryOpInnerLoopCycles(const Target &target, const Type &type,
                                      const unsigned cyclesPerVector,
                                      const bool vectorize,
                                      const unsigned numElems,
                                      const std::uint64_t overheadPerLoop) {
  return overheadPerLoop +
         basicOpLoopCycles(numElems,
                           vectorize ? target.getVectorWidth(type) : 1,
                           cyclesPerVector);
}

std::uint64_t getDynamicSlice1DEstimate(const Target &target, const Type &type,
                                        const unsigned regionSize,
                                        const unsigned numSubElements) {
  const unsigned perMove =
      elementsPerMove(target.getDataPathWidth(), target.getTypeSize(type));
  const unsigned workers = target.getNumWorkerContexts();
  const std::uint64_t moves = ceilDiv(ceilDiv(regionSize, workers), perMove);
  return workers * (kVertexCycles + numSubElements * (kRowCycles + moves));
}

std::uint64_t getBinaryOp1DInPlaceEstimate(const Target &target,
                                           const Type &type,
                                           const expr::BinaryOpType op,
                                           const unsigned numElems) {
  return sharedByWorkers(target.getNumWorkerContexts(),
                         ceilDiv(numElems, target.getVectorWidth(type)),
                         cyclesPerVector(op));
}

MultiSliceTargetParameters::MultiSliceTargetParameters(const Target &target,
                                                       const Type &type)
    : atomicWriteSize(target.getAtomicStoreGranularity()),
      dataPathWidth(target.getDataPathWidth()),
      bytesPerElem(target.getTypeSize(type)),
      numWorkerContexts(target.getNumWorkerContexts()) {}

// Every worker looks at its share of the offsets and copies those in range. A
// split region has all workers copy a part of each slice. Sorted offsets are
// found by bisection, without looking at each.
std::uint64_t getMultiSliceCycleEstimate(
    const MultiSliceTargetParameters &target, const unsigned elemsPerSlice,
    const unsigned numOffsets, const unsigned numOffsetsInRangePerWorker,
    const unsigned offsetsPerDictEntry, const bool isUpdate,
    const bool indicesAreSorted, const bool splitSingleRegion) {
  const unsigned workers = std::max(1u, target.numWorkerContexts);
  const std::uint64_t elements =
      splitSingleRegion ? ceilDiv(elemsPerSlice, workers) : elemsPerSlice;
  // Writes narrower than the hardware's read the rest of the word first.
  const std::uint64_t perMove =
      isUpdate && target.bytesPerElem < target.atomicWriteSize ? 3 : 1;
  const std::uint64_t copy =
      kRowCycles +
      perMove * ceilDiv(elements, elementsPerMove(target.dataPathWidth,
                                                  target.bytesPerElem));
  const std::uint64_t looked = indicesAreSorted ? numOffsetsInRangePerWorker
                               : splitSingleRegion
                                   ? numOffsets
                                   : ceilDiv(numOffsets, workers);
  return workers * (kVertexCycles + looked * std::max(1u, offsetsPerDictEntry) +
                    numOffsetsInRangePerWorker * copy);
}

MultiUpdateOpTargetParameters::MultiUpdateOpTargetParameters(
    const Target &target, const Type &type)
    : atomicWriteSize(target.getAtomicStoreGranularity()),
      numWorkerContexts(target.getNumWorkerContexts()),
      bytesPerElem(target.getTypeSize(type)) {}

// Element by element: two loads, the operation and a store.
std::uint64_t getMultiUpdateOpCycleEstimate(
    const MultiUpdateOpTargetParameters &target, bool subWordWritesRequired,
    const unsigned elemsPerSlice, const unsigned numOffsets,
    const unsigned numOffsetsInRangePerWorker,
    const unsigned offsetsPerDictEntry, const Operation, const bool scaled,
    const bool scaleHigherPrecisionThanData, const bool indicesAreSorted) {
  const std::uint64_t perElement = 4u + (subWordWritesRequired ? 2 : 0) +
                                   (scaled ? 1 : 0) +
                                   (scaleHigherPrecisionThanData ? 2 : 0);
  const std::uint64_t looked =
      indicesAreSorted ? numOffsetsInRangePerWorker : numOffsets;
  return std::max(1u, target.numWorkerContexts) *
         (kVertexCycles + looked * std::max(1u, offsetsPerDictEntry) +
          numOffsetsInRangePerWorker *
              (kRowCycles + elemsPerSlice * perElement));
}

CastTargetParameters::CastTargetParameters(const Target &target,
                                           const Type &fromType,
                                           const Type &toType)
    : numWorkerContexts(target.getNumWorkerContexts()),
      dataPathWidth(target.getDataPathWidth()),
      fromTypeSize(target.getTypeSize(fromType)),
      toTypeSize(target.getTypeSize(toType)) {}

namespace {

// The wider of the two types fills the data path.
std::uint64_t castVectors(const CastTargetParameters &target,
                          std::uint64_t numElems) {
  return ceilDiv(numElems, elementsPerMove(target.dataPathWidth,
                                           std::max(target.fromTypeSize,
                                                    target.toTypeSize)));
}

constexpr std::uint64_t kCastCycles = 3; // per vector

} // namespace

std::uint64_t getCast2DCycleEstimate(const CastTargetParameters &target,
                                     const Type &, const Type &,
                                     std::vector<unsigned> &elemCounts) {
  std::uint64_t cycles = kVertexCycles;
  for (const unsigned count : elemCounts)
    cycles += kRowCycles + castVectors(target, count) * kCastCycles;
  return cycles;
}

std::uint64_t
getCast1DSingleWorkerCycleEstimate(const CastTargetParameters &target,
                                   const Type &, const Type &,
                                   const unsigned numElems) {
  return kVertexCycles + castVectors(target, numElems) * kCastCycles;
}

std::uint64_t getCast1DCycleEstimate(const CastTargetParameters &target,
                                     const Type &, const Type &,
                                     const unsigned numElems) {
  return sharedByWorkers(target.numWorkerContexts,
                         castVectors(target, numElems), kCastCycles);
}

FillTargetParameters::FillTargetParameters(const Target &target)
    : dataPathWidth(target.getDataPathWidth()) {}

namespace {

unsigned sizeOf(const Type &type) {
  return type == poplar::HALF || type == poplar::SHORT ||
                 type == poplar::UNSIGNED_SHORT
             ? 2
         : type == poplar::FLOAT || type == poplar::INT ||
                 type == poplar::UNSIGNED_INT
             ? 4
         : type == poplar::LONGLONG || type == poplar::UNSIGNED_LONGLONG ? 8
                                                                         : 1;
}

std::uint64_t fillMoves(const FillTargetParameters &target, const Type &type,
                        unsigned numElems) {
  return ceilDiv(numElems, elementsPerMove(target.dataPathWidth, sizeOf(type)));
}

} // namespace

std::uint64_t getFill1DCycleEstimate(const FillTargetParameters &target,
                                     const Type &type,
                                     const unsigned numElems) {
  return kVertexCycles + fillMoves(target, type, numElems);
}

std::uint64_t getFill2DCycleEstimate(const FillTargetParameters &target,
                                     const Type &type,
                                     const std::vector<unsigned> &numElems) {
  std::uint64_t cycles = kVertexCycles;
  for (const unsigned count : numElems)
    cycles += kRowCycles + fillMoves(target, type, count);
  return cycles;
}

ScaledArithmeticTargetParameters::ScaledArithmeticTargetParameters(
    const Target &target, const Type &dataType)
    : numWorkerContexts(target.getNumWorkerContexts()),
      vectorWidth(target.getVectorWidth(dataType)) {}

// Two vectors are loaded unless both are in memory that can be read at once.
std::uint64_t getScaledArithmeticSupervisorCycleEstimate(
    const ScaledArithmeticTargetParameters &target, const Type &dataType,
    const Type &dataBType, const bool memConstrained,
    const ScaledArithmeticOp operation, const poplar::layout::Vector &,
    const poplar::layout::Vector &, const unsigned numElems) {
  const bool twoScales = operation == ScaledArithmeticOp::AXPLUSBY ||
                         operation == ScaledArithmeticOp::AXMINUSBY;
  const std::uint64_t perVector = 2u + (memConstrained ? 0 : 1) +
                                  (twoScales ? 1 : 0) +
                                  (dataType == dataBType ? 0 : 1);
  return sharedByWorkers(target.numWorkerContexts,
                         ceilDiv(numElems, target.vectorWidth), perVector);
}

poplar::VertexPerfEstimate
broadcastArithmetic1DCycleEstimate(const Target &target, expr::BinaryOpType op,
                                   const Type &inType, const Type &, bool,
                                   std::size_t dataSize) {
  return {sharedByWorkers(target.getNumWorkerContexts(),
                          ceilDiv(dataSize, target.getVectorWidth(inType)),
                          cyclesPerVector(op)),
          dataSize};
}

poplar::VertexPerfEstimate
broadcastArithmeticCycleEstimate(const Target &target, expr::BinaryOpType op,
                                 const Type &inType, const Type &, bool,
                                 bool uniformScalar,
                                 const std::vector<std::size_t> &data) {
  std::uint64_t cycles = kVertexCycles, flops = 0;
  for (const std::size_t size : data) {
    cycles +=
        kRowCycles + (uniformScalar ? 0 : 1) +
        ceilDiv(size, target.getVectorWidth(inType)) * cyclesPerVector(op);
    flops += size;
  }
  return {cycles, flops};
}

} // namespace internal
} // namespace popops
