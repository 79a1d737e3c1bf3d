// A modelled IPU system with properties chosen by the user.
#pragma once

#include <poplar/Device.hpp>
#include <poplar/GlobalExchangeConstraints.hpp>
#include <poplar/OptionFlags.hpp>

#include <limits>
#include <string>
#include <vector>

namespace poplar {

struct IPUModel {
  // "ipu1", "ipu2" or "ipu21" sets the properties of that chip. Throws
  // invalid_machine_model for any other name.
  explicit IPUModel(const char *IPUVersion = "ipu2");

  // Throws invalid_machine_model for properties that cannot be modelled, such
  // as no tiles. accurateHalf has no effect: halves are always 16 bits wide.
  // The device's id is deviceManagerId, or a unique one by default.
  Device createDevice(
      const OptionFlags &options = {}, bool accurateHalf = false,
      unsigned deviceManagerId = std::numeric_limits<unsigned>::max()) const;

  bool operator==(const IPUModel &other) const;
  bool operator!=(const IPUModel &other) const;

  enum class RelativeSyncDelayType { AUTO, NO_DELAY };

  std::string IPUVersion;
  unsigned numIPUs;
  unsigned tilesPerSuperTile;
  unsigned tilesPerIPU;
  unsigned numWorkerContexts;
  unsigned memoryBytesPerTile;
  double tileClockFrequency; // in Hz
  unsigned exchangeBytesPerCycle;
  unsigned memcpyBytesPerCycle;
  unsigned instructionBytes;
  bool supportsSuperTileSendReceive;
  unsigned interleavedMemoryElementIndex;
  RelativeSyncDelayType relativeSyncDelay;
  unsigned minIPUSyncDelay;
  unsigned globalSyncCycles;
  std::vector<GlobalExchangeConstraint> globalExchangeConstraints;
  unsigned globalExchangePacketBytes;
  unsigned tileLocalSyncSyncDelay;
  unsigned tileLocalSyncExitDelay;
  unsigned numStrideBits;
  unsigned dataPathWidth; // in bits
  unsigned fp16ConvUnitMaxPipelineDepth;
  unsigned fp32ConvUnitMaxPipelineDepth;
  unsigned fp8ConvUnitInputLoadElemsPerCycle; // 0 without 8-bit floats
  unsigned fp16ConvUnitInputLoadElemsPerCycle;
  unsigned fp32ConvUnitInputLoadElemsPerCycle;
  unsigned fp16InFp16OutConvUnitsPerTile;
  unsigned fp16InFp32OutConvUnitsPerTile;
  unsigned fp32InFp32OutConvUnitsPerTile;
  unsigned convUnitCoeffLoadBytesPerCycle;
  unsigned supervisorInstrFetchDelay;
  unsigned workerInstrFetchDelay;
  unsigned rptCountMax;
  unsigned atomicStoreGranularity;
  bool compileIPUCode; // no effect: code always runs on the host
};

} // namespace poplar
