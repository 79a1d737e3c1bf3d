// The properties of a poplar::Target.
#pragma once

#include <poplar/IPUModel.hpp>
#include <poplar/Target.hpp>

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ipumodel {

struct TargetInfo {
  poplar::TargetType type;
  std::string system; // "ipu2", "IPU-POD16", "cpu"
  std::string arch;   // "ipu1", "ipu2", "ipu21", "cpu"
  poplar::OptionFlags options;
  poplar::IPUModel machine;

  // Derived from the above.
  std::vector<unsigned> memoryElementOffsets;
  unsigned fp8ConvUnitsPerTile;
  unsigned fp8ConvUnitMaxPipelineDepth;
  poplar::IpuLinkConfiguration linkConfiguration;
  poplar::IpuLinkTopology linkTopology;
  unsigned linkDomainSize;
  unsigned instanceSize;
  bool gatewayMode;
};

struct TargetAccess {
  static poplar::Target make(std::shared_ptr<const TargetInfo> info) {
    return poplar::Target(std::move(info));
  }
  static const TargetInfo &info(const poplar::Target &target) {
    return target.info();
  }
};

// POPLAR_TARGET_OPTIONS overrides `options`. Throws invalid_option for unknown
// options, invalid_machine_model for a model with invalid properties.
poplar::Target makeTarget(poplar::TargetType type, const std::string &system,
                          const poplar::OptionFlags &options,
                          const poplar::IPUModel &machine);

// All fields, for comparing and storing.
template <class Model> auto fieldsOf(Model &m) {
  return std::tie(
      m.IPUVersion, m.numIPUs, m.tilesPerSuperTile, m.tilesPerIPU,
      m.numWorkerContexts, m.memoryBytesPerTile, m.tileClockFrequency,
      m.exchangeBytesPerCycle, m.memcpyBytesPerCycle, m.instructionBytes,
      m.supportsSuperTileSendReceive, m.interleavedMemoryElementIndex,
      m.relativeSyncDelay, m.minIPUSyncDelay, m.globalSyncCycles,
      m.globalExchangeConstraints, m.globalExchangePacketBytes,
      m.tileLocalSyncSyncDelay, m.tileLocalSyncExitDelay, m.numStrideBits,
      m.dataPathWidth, m.fp16ConvUnitMaxPipelineDepth,
      m.fp32ConvUnitMaxPipelineDepth, m.fp8ConvUnitInputLoadElemsPerCycle,
      m.fp16ConvUnitInputLoadElemsPerCycle,
      m.fp32ConvUnitInputLoadElemsPerCycle, m.fp16InFp16OutConvUnitsPerTile,
      m.fp16InFp32OutConvUnitsPerTile, m.fp32InFp32OutConvUnitsPerTile,
      m.convUnitCoeffLoadBytesPerCycle, m.supervisorInstrFetchDelay,
      m.workerInstrFetchDelay, m.rptCountMax, m.atomicStoreGranularity,
      m.compileIPUCode);
}

// Throws invalid_machine_model with the name of the first invalid field.
void checkMachine(const poplar::IPUModel &machine);

} // namespace ipumodel
