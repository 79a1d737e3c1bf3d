// Estimated cycles of PopLibs' element-wise and slicing vertices, for programs
// that register estimators of their own.
//
// They follow the tile model: a worker enters and leaves the vertex, then
// spends a fixed number of cycles on each vector of elements. The SDK's
// numbers, which know the assembly of each vertex, are different.
#pragma once

#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/Target.hpp>
#include <poplar/VectorLayout.hpp>
#include <popops/Expr.hpp>
#include <popops/OperationDef.hpp>

#include <cstdint>
#include <vector>

namespace popops {
namespace internal {

std::uint64_t basicOpSupervisorOverhead(const bool isScaledPtr64Type = false);
std::uint64_t basicOpLoopCycles(const unsigned numElems,
                                const unsigned vectorSize,
                                const unsigned cyclesPerVector);
std::uint64_t binaryOpInnerLoopCycles(const poplar::Target &target,
                                      const poplar::Type &type,
                                      const unsigned cyclesPerVector,
                                      const bool vectorize,
                                      const unsigned numElems,
                                      const std::uint64_t overheadPerLoop);

std::uint64_t getDynamicSlice1DEstimate(const poplar::Target &target,
                                        const poplar::Type &type,
                                        const unsigned regionSize,
                                        const unsigned numSubElements);
std::uint64_t getBinaryOp1DInPlaceEstimate(const poplar::Target &target,
                                           const poplar::Type &type,
                                           const expr::BinaryOpType op,
                                           const unsigned numElems);

struct MultiSliceTargetParameters {
  MultiSliceTargetParameters(const poplar::Target &target,
                             const poplar::Type &type);
  unsigned atomicWriteSize;
  unsigned dataPathWidth;
  unsigned bytesPerElem;
  unsigned numWorkerContexts;
};
std::uint64_t getMultiSliceCycleEstimate(
    const MultiSliceTargetParameters &targetParams,
    const unsigned elemsPerSlice, const unsigned numOffsets,
    const unsigned numOffsetsInRangePerWorker,
    const unsigned offsetsPerDictEntry, const bool isUpdate = false,
    const bool indicesAreSorted = false, const bool splitSingleRegion = false);

struct MultiUpdateOpTargetParameters {
  MultiUpdateOpTargetParameters(const poplar::Target &target,
                                const poplar::Type &type);
  unsigned atomicWriteSize;
  unsigned numWorkerContexts;
  unsigned bytesPerElem;
};
std::uint64_t getMultiUpdateOpCycleEstimate(
    const MultiUpdateOpTargetParameters &targetParams,
    bool subWordWritesRequired, const unsigned elemsPerSlice,
    const unsigned numOffsets, const unsigned numOffsetsInRangePerWorker,
    const unsigned offsetsPerDictEntry, const Operation op, const bool scaled,
    const bool scaleHigherPrecisionThanData = false,
    const bool indicesAreSorted = false);

struct CastTargetParameters {
  CastTargetParameters(const poplar::Target &target,
                       const poplar::Type &fromType,
                       const poplar::Type &toType);
  unsigned numWorkerContexts;
  unsigned dataPathWidth;
  unsigned fromTypeSize;
  unsigned toTypeSize;
};
std::uint64_t getCast2DCycleEstimate(const CastTargetParameters &targetParams,
                                     const poplar::Type &fromType,
                                     const poplar::Type &toType,
                                     std::vector<unsigned> &elemCounts);
std::uint64_t getCast1DSingleWorkerCycleEstimate(
    const CastTargetParameters &targetParams, const poplar::Type &fromType,
    const poplar::Type &toType, const unsigned numElems);
std::uint64_t getCast1DCycleEstimate(const CastTargetParameters &targetParams,
                                     const poplar::Type &fromType,
                                     const poplar::Type &toType,
                                     const unsigned numElems);

struct FillTargetParameters {
  FillTargetParameters(const poplar::Target &target);
  unsigned dataPathWidth;
};
std::uint64_t getFill1DCycleEstimate(const FillTargetParameters &targetParams,
                                     const poplar::Type &type,
                                     const unsigned numElems);
std::uint64_t getFill2DCycleEstimate(const FillTargetParameters &targetParams,
                                     const poplar::Type &type,
                                     const std::vector<unsigned> &numElems);

enum class ScaledArithmeticOp { ADD, SUBTRACT, AXPLUSBY, AXMINUSBY };

struct ScaledArithmeticTargetParameters {
  ScaledArithmeticTargetParameters(const poplar::Target &target,
                                   const poplar::Type &dataType);
  unsigned numWorkerContexts;
  unsigned vectorWidth;
};
std::uint64_t getScaledArithmeticSupervisorCycleEstimate(
    const ScaledArithmeticTargetParameters &targetParams,
    const poplar::Type &dataType, const poplar::Type &dataBType,
    const bool memConstrained, const ScaledArithmeticOp operation,
    const poplar::layout::Vector &aLayout,
    const poplar::layout::Vector &bLayout, const unsigned numElems);

poplar::VertexPerfEstimate broadcastArithmetic1DCycleEstimate(
    const poplar::Target &target, expr::BinaryOpType op,
    const poplar::Type &inType, const poplar::Type &outType, bool inPlace,
    std::size_t dataSize);
poplar::VertexPerfEstimate broadcastArithmeticCycleEstimate(
    const poplar::Target &target, expr::BinaryOpType op,
    const poplar::Type &inType, const poplar::Type &outType, bool inPlace,
    bool uniformScalar, const std::vector<std::size_t> &data);

} // namespace internal
} // namespace popops
