#include "poplar/device/device_state.hpp"
#include "poplar/device/target_info.hpp"

#include <poplar/IPUModel.hpp>
#include <poplar/exceptions.hpp>

#include <cmath>
#include <string>

namespace poplar {
namespace {

// The properties that differ between chips.
struct Chip {
  const char *version;
  unsigned tiles;
  unsigned memoryBytesPerTile;
  unsigned interleavedMemoryElementIndex;
  double clockHz;
  unsigned fp16InFp16OutConvUnits;
  unsigned fp16InFp32OutConvUnits;
  unsigned fp32InFp32OutConvUnits;
  unsigned fp8ConvUnitInputLoadElemsPerCycle;
};

// The second half of an ipu1's and the last two thirds of an ipu2's memory are
// interleaved, in elements of 16 KiB.
constexpr Chip kChips[] = {
    {"ipu1", 1216, 256 * 1024, 8, 1.6e9, 8, 8, 8, 0},
    {"ipu2", 1472, 624 * 1024, 13, 1.33e9, 16, 8, 16, 0},
    {"ipu21", 1472, 624 * 1024, 13, 1.33e9, 16, 8, 16, 8},
};

const Chip &chipOf(const std::string &version) {
  for (const Chip &chip : kChips)
    if (version == chip.version)
      return chip;
  throw invalid_machine_model("unknown IPU version '" + version +
                              "'; use ipu1, ipu2 or ipu21");
}

} // namespace

IPUModel::IPUModel(const char *version)
    : IPUVersion(version), numIPUs(1), tilesPerSuperTile(4),
      numWorkerContexts(6), exchangeBytesPerCycle(4), memcpyBytesPerCycle(8),
      instructionBytes(4), supportsSuperTileSendReceive(true),
      relativeSyncDelay(RelativeSyncDelayType::AUTO), minIPUSyncDelay(50),
      globalSyncCycles(600), globalExchangePacketBytes(1024),
      tileLocalSyncSyncDelay(15), tileLocalSyncExitDelay(15), numStrideBits(10),
      dataPathWidth(64), fp16ConvUnitMaxPipelineDepth(4),
      fp32ConvUnitMaxPipelineDepth(4), fp16ConvUnitInputLoadElemsPerCycle(4),
      fp32ConvUnitInputLoadElemsPerCycle(2), convUnitCoeffLoadBytesPerCycle(8),
      supervisorInstrFetchDelay(6), workerInstrFetchDelay(6), rptCountMax(4095),
      atomicStoreGranularity(4), compileIPUCode(false) {
  const Chip &chip = chipOf(version);
  tilesPerIPU = chip.tiles;
  memoryBytesPerTile = chip.memoryBytesPerTile;
  tileClockFrequency = chip.clockHz;
  interleavedMemoryElementIndex = chip.interleavedMemoryElementIndex;
  fp16InFp16OutConvUnitsPerTile = chip.fp16InFp16OutConvUnits;
  fp16InFp32OutConvUnitsPerTile = chip.fp16InFp32OutConvUnits;
  fp32InFp32OutConvUnitsPerTile = chip.fp32InFp32OutConvUnits;
  fp8ConvUnitInputLoadElemsPerCycle = chip.fp8ConvUnitInputLoadElemsPerCycle;
}

Device IPUModel::createDevice(const OptionFlags &options, bool,
                              unsigned deviceManagerId) const {
  return ipumodel::makePrivateDevice(
      ipumodel::makeTarget(TargetType::IPU_MODEL, IPUVersion, options, *this),
      deviceManagerId);
}

bool IPUModel::operator==(const IPUModel &other) const {
  return ipumodel::fieldsOf(*this) == ipumodel::fieldsOf(other);
}

bool IPUModel::operator!=(const IPUModel &other) const {
  return !(*this == other);
}

} // namespace poplar

namespace ipumodel {

void checkMachine(const poplar::IPUModel &machine) {
  poplar::chipOf(machine.IPUVersion);
  const auto positive = [](const char *field, auto value) {
    if (!(value > 0))
      throw poplar::invalid_machine_model(std::string(field) +
                                          " must be positive");
  };
  positive("numIPUs", machine.numIPUs);
  positive("tilesPerIPU", machine.tilesPerIPU);
  positive("numWorkerContexts", machine.numWorkerContexts);
  positive("memoryBytesPerTile", machine.memoryBytesPerTile);
  // An executable file may say anything; a Target has a list of these bytes.
  constexpr unsigned kMostTileBytes = 1u << 30;
  if (machine.memoryBytesPerTile > kMostTileBytes)
    throw poplar::invalid_machine_model("memoryBytesPerTile must be at most " +
                                        std::to_string(kMostTileBytes));
  positive("exchangeBytesPerCycle", machine.exchangeBytesPerCycle);
  positive("memcpyBytesPerCycle", machine.memcpyBytesPerCycle);
  positive("rptCountMax", machine.rptCountMax);
  positive("atomicStoreGranularity", machine.atomicStoreGranularity);
  positive("tileClockFrequency", machine.tileClockFrequency);
  if (!std::isfinite(machine.tileClockFrequency))
    throw poplar::invalid_machine_model("tileClockFrequency must be finite");
  if (machine.dataPathWidth == 0 || machine.dataPathWidth % 32 != 0)
    throw poplar::invalid_machine_model(
        "dataPathWidth must be a multiple of 32 bits, not " +
        std::to_string(machine.dataPathWidth));
}

} // namespace ipumodel
