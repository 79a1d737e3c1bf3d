// The properties of the device a graph is compiled for.
#pragma once

#include <poplar/GlobalExchangeConstraints.hpp>
#include <poplar/IpuLinkConfiguration.hpp>
#include <poplar/IpuLinkTopology.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/TargetType.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ipumodel {
struct TargetAccess;
struct TargetInfo;
} // namespace ipumodel

namespace poplar {

// An immutable description; copies share it. Graphs can be built and compiled
// for a Target without a device. Every getter of a default-constructed Target
// throws poplar_error.
class Target {
public:
  Target() = default;

  // "ipu1", "ipu2", "ipu21", or the name of a system of these such as
  // "IPU-POD16"; anything else throws invalid_option. If omitted, the numbers
  // of IPUs and tiles are those of the system.
  static Target createIPUTarget(StringRef systemType,
                                const OptionFlags &options = {});
  static Target createIPUTarget(unsigned numIPUs, StringRef systemType,
                                const OptionFlags &options = {});
  static Target createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU,
                                StringRef systemType,
                                const OptionFlags &options = {});
  // One tile per IPU. Halves are 16 bits wide, whatever accurateHalf says.
  static Target createCPUTarget(bool accurateHalf = false,
                                unsigned numIPUs = 1);
  // The first IPUs of this target, with the first tiles of each.
  Target createVirtualTarget(unsigned numIPUs, unsigned tilesPerIPU) const;

  TargetType getTargetType() const;
  StringRef getTargetSystemString() const;
  StringRef getTargetArchString() const;
  const OptionFlags &getTargetOptions() const;

  unsigned getNumIPUs() const;
  unsigned getTilesPerIPU() const;
  unsigned getNumTiles() const;
  unsigned getNumWorkerContexts() const;
  double getTileClockFrequency() const; // in Hz

  // Memory.
  unsigned getBytesPerTile() const;
  std::uint64_t getMemoryBytes() const;
  const std::vector<unsigned> &getMemoryElementOffsets() const;
  unsigned getInterleavedMemoryElementIndex() const;
  std::size_t getAtomicStoreGranularity() const;
  unsigned getMemcpyBytesPerCycle() const;

  // Data types.
  std::size_t getTypeSize(const Type &type) const;
  // The largest and the lowest finite value; throws overflow_error if it does
  // not fit T.
  template <class T> T getTypeLimitsMaxAs(const Type &type) const;
  template <class T> T getTypeLimitsLowestAs(const Type &type) const;

  // Instructions.
  unsigned getDataPathWidth() const; // in bits
  unsigned getVectorWidth(const Type &type) const;
  unsigned getFloatVectorWidth() const;
  unsigned getHalfVectorWidth() const;
  unsigned getQuarterVectorWidth() const;
  unsigned getRptCountMax() const;
  unsigned getNumStrideBits() const;

  // Exchange and synchronisation.
  unsigned getExchangeBytesPerCycle() const;
  bool supportsExchangeBusSharing() const;
  unsigned getTilesPerSharedExchangeBus() const;
  unsigned getMinIPUSyncDelay() const;
  unsigned getMaxIPUSyncDelay() const;
  unsigned getGlobalSyncCycles() const;
  const std::vector<GlobalExchangeConstraint> &
  getGlobalExchangeConstraints() const;

  // Convolution units; 0 if there is no such unit.
  unsigned getNumConvUnits(const Type &input, const Type &partial) const;
  unsigned getWeightsPerConvUnit(const Type &type) const;
  unsigned getConvUnitInputLoadElemsPerCycle(const Type &type) const;
  unsigned getConvUnitMaxPipelineDepth(const Type &type) const;
  unsigned getConvUnitCoeffLoadBytesPerCycle() const;
  unsigned getFp8InFp16OutConvUnitsPerTile() const;
  unsigned getFp16InFp16OutConvUnitsPerTile() const;
  unsigned getFp16InFp32OutConvUnitsPerTile() const;
  unsigned getFp32InFp32OutConvUnitsPerTile() const;
  unsigned getFp8ConvUnitMaxPipelineDepth() const;
  unsigned getFp16ConvUnitMaxPipelineDepth() const;
  unsigned getFp32ConvUnitMaxPipelineDepth() const;
  unsigned getFp8ConvUnitInputLoadElemsPerCycle() const;
  unsigned getFp16ConvUnitInputLoadElemsPerCycle() const;
  unsigned getFp32ConvUnitInputLoadElemsPerCycle() const;

  // The system the IPUs are in.
  IpuLinkConfiguration getIpuLinkConfiguration() const;
  IpuLinkTopology getIpuLinkTopology() const;
  unsigned getIpuLinkDomainSize() const;
  unsigned getInstanceSize() const;
  bool getGatewayMode() const;

  std::size_t hash() const;
  bool operator==(const Target &other) const;
  bool operator!=(const Target &other) const;
  bool operator<(const Target &other) const;

private:
  friend struct ::ipumodel::TargetAccess;
  explicit Target(std::shared_ptr<const ipumodel::TargetInfo> info);
  const ipumodel::TargetInfo &info() const;

  std::shared_ptr<const ipumodel::TargetInfo> info_;
};

// Converts between host numbers and `count` HALF elements of the device.
void copyFloatToDeviceHalf(const Target &target, const float *src, void *dst,
                           std::size_t count);
void copyDeviceHalfToFloat(const Target &target, const void *src, float *dst,
                           std::size_t count);
void copyDoubleToDeviceHalf(const Target &target, const double *src, void *dst,
                            std::size_t count);
void copyDeviceHalfToDouble(const Target &target, const void *src, double *dst,
                            std::size_t count);

} // namespace poplar

namespace std {
template <> struct hash<poplar::Target> {
  size_t operator()(const poplar::Target &target) const {
    return target.hash();
  }
};
} // namespace std
