#include "poplar/device/target_info.hpp"
#include "poplar/options/option_table.hpp"
#include "poplar/values/half.hpp"
#include "poplar/values/type_info.hpp"

#include <poplar/Target.hpp>
#include <poplar/exceptions.hpp>

#include <string>
#include <tuple>

namespace ipumodel {
namespace {

constexpr unsigned kMemoryElementBytes = 16 * 1024;

// An ipu21 also multiplies 8-bit floats.
constexpr unsigned kFp8ConvUnits = 16;
constexpr unsigned kFp8PipelineDepth = 4;

constexpr OptionSpec kTargetSpecs[] = {
    {"gatewayMode", OptionKind::boolean},
    {"instanceSize", OptionKind::unsignedInteger},
    {"ipuLinkConfiguration", OptionKind::word,
     "Default|SlidingWindow|BarleyTwist"},
    {"ipuLinkDomainSize", OptionKind::unsignedInteger},
    {"ipuLinkTopology", OptionKind::word, "mesh|torus|line"},
    {"syncConfiguration", OptionKind::text},
};
constexpr OptionTable kTargetTable = kTargetSpecs;

// "ipu2" is one IPU, "IPU-POD16" sixteen.
struct System {
  std::string arch;
  unsigned numIPUs;
};

System systemNamed(const std::string &name) {
  if (name == "ipu1" || name == "ipu2" || name == "ipu21")
    return {name, 1};
  const std::string pod = "IPU-POD";
  if (name.compare(0, pod.size(), pod) == 0) {
    const std::string size = name.substr(pod.size());
    if (!size.empty() && size.size() <= 4 &&
        size.find_first_not_of("0123456789") == size.npos)
      return {"ipu2", unsigned(std::stoul(size))};
  }
  throw poplar::invalid_option("unknown system type '" + name +
                               "'; use ipu1, ipu2, ipu21 or a system such as "
                               "IPU-POD16");
}

auto identityOf(const TargetInfo &info) {
  return std::tuple_cat(
      std::tie(info.type, info.system, info.arch, info.options),
      fieldsOf(info.machine));
}

} // namespace

poplar::Target makeTarget(poplar::TargetType type, const std::string &system,
                          const poplar::OptionFlags &options,
                          const poplar::IPUModel &machine) {
  checkMachine(machine);
  const CheckedOptions checked(kTargetTable,
                               overriddenBy("POPLAR_TARGET_OPTIONS", options));
  const bool hasFp8 = machine.IPUVersion == "ipu21";

  auto info = std::make_shared<TargetInfo>(TargetInfo{
      type,
      system,
      type == poplar::TargetType::CPU ? "cpu" : machine.IPUVersion,
      checked.flags(),
      machine,
      {},
      hasFp8 ? kFp8ConvUnits : 0,
      hasFp8 ? kFp8PipelineDepth : 0,
      checked.wordOr("ipuLinkConfiguration",
                     poplar::IpuLinkConfiguration::Default),
      checked.wordOr("ipuLinkTopology", poplar::IpuLinkTopology::Mesh),
      unsigned(checked.unsignedInteger("ipuLinkDomainSize")
                   .value_or(machine.numIPUs)),
      unsigned(
          checked.unsignedInteger("instanceSize").value_or(machine.numIPUs)),
      checked.boolean("gatewayMode").value_or(false)});
  for (unsigned offset = 0; offset < machine.memoryBytesPerTile;
       offset += kMemoryElementBytes)
    info->memoryElementOffsets.push_back(offset);
  return TargetAccess::make(std::move(info));
}

} // namespace ipumodel

namespace poplar {

using ipumodel::identityOf;

Target::Target(std::shared_ptr<const ipumodel::TargetInfo> info)
    : info_(std::move(info)) {}

const ipumodel::TargetInfo &Target::info() const {
  if (!info_)
    throw poplar_error("this Target was never set");
  return *info_;
}

Target Target::createIPUTarget(StringRef systemType,
                               const OptionFlags &options) {
  return createIPUTarget(ipumodel::systemNamed(systemType).numIPUs, systemType,
                         options);
}

Target Target::createIPUTarget(unsigned numIPUs, StringRef systemType,
                               const OptionFlags &options) {
  const auto system = ipumodel::systemNamed(systemType);
  const IPUModel machine(system.arch.c_str());
  return createIPUTarget(numIPUs, machine.tilesPerIPU, systemType, options);
}

Target Target::createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU,
                               StringRef systemType,
                               const OptionFlags &options) {
  const auto system = ipumodel::systemNamed(systemType);
  IPUModel machine(system.arch.c_str());
  machine.numIPUs = numIPUs;
  machine.tilesPerIPU = tilesPerIPU;
  return ipumodel::makeTarget(TargetType::IPU, systemType, options, machine);
}

Target Target::createCPUTarget(bool, unsigned numIPUs) {
  IPUModel machine;
  machine.numIPUs = numIPUs;
  machine.tilesPerIPU = 1;
  machine.numWorkerContexts = 1;
  machine.memoryBytesPerTile = 256 * 1024;
  return ipumodel::makeTarget(TargetType::CPU, "cpu", {}, machine);
}

Target Target::createVirtualTarget(unsigned numIPUs,
                                   unsigned tilesPerIPU) const {
  if (numIPUs > getNumIPUs() || tilesPerIPU > getTilesPerIPU())
    throw poplar_error("a virtual target of " + std::to_string(numIPUs) +
                       " IPUs with " + std::to_string(tilesPerIPU) +
                       " tiles is larger than the target of " +
                       std::to_string(getNumIPUs()) + " IPUs with " +
                       std::to_string(getTilesPerIPU()));
  IPUModel machine = info().machine;
  machine.numIPUs = numIPUs;
  machine.tilesPerIPU = tilesPerIPU;
  return ipumodel::makeTarget(info().type, info().system, info().options,
                              machine);
}

TargetType Target::getTargetType() const { return info().type; }

StringRef Target::getTargetSystemString() const { return info().system; }

StringRef Target::getTargetArchString() const { return info().arch; }

const OptionFlags &Target::getTargetOptions() const { return info().options; }

unsigned Target::getNumIPUs() const { return info().machine.numIPUs; }

unsigned Target::getTilesPerIPU() const { return info().machine.tilesPerIPU; }

unsigned Target::getNumTiles() const { return getNumIPUs() * getTilesPerIPU(); }

unsigned Target::getNumWorkerContexts() const {
  return info().machine.numWorkerContexts;
}

double Target::getTileClockFrequency() const {
  return info().machine.tileClockFrequency;
}

unsigned Target::getBytesPerTile() const {
  return info().machine.memoryBytesPerTile;
}

std::uint64_t Target::getMemoryBytes() const {
  return std::uint64_t(getNumTiles()) * getBytesPerTile();
}

const std::vector<unsigned> &Target::getMemoryElementOffsets() const {
  return info().memoryElementOffsets;
}

unsigned Target::getInterleavedMemoryElementIndex() const {
  return info().machine.interleavedMemoryElementIndex;
}

std::size_t Target::getAtomicStoreGranularity() const {
  return info().machine.atomicStoreGranularity;
}

unsigned Target::getMemcpyBytesPerCycle() const {
  return info().machine.memcpyBytesPerCycle;
}

std::size_t Target::getTypeSize(const Type &type) const {
  return ipumodel::sizeOf(type);
}

unsigned Target::getDataPathWidth() const {
  return info().machine.dataPathWidth;
}

unsigned Target::getVectorWidth(const Type &type) const {
  return getDataPathWidth() / (8 * getTypeSize(type));
}

unsigned Target::getFloatVectorWidth() const { return getVectorWidth(FLOAT); }

unsigned Target::getHalfVectorWidth() const { return getVectorWidth(HALF); }

unsigned Target::getQuarterVectorWidth() const {
  return getVectorWidth(QUARTER);
}

unsigned Target::getRptCountMax() const { return info().machine.rptCountMax; }

unsigned Target::getNumStrideBits() const {
  return info().machine.numStrideBits;
}

unsigned Target::getExchangeBytesPerCycle() const {
  return info().machine.exchangeBytesPerCycle;
}

bool Target::supportsExchangeBusSharing() const {
  return info().machine.supportsSuperTileSendReceive;
}

// Together, the two tiles of a pair can receive twice as much per cycle.
unsigned Target::getTilesPerSharedExchangeBus() const { return 2; }

unsigned Target::getMinIPUSyncDelay() const {
  return info().machine.minIPUSyncDelay;
}

// Tiles far from the sync controller receive a sync later; without a delay
// model (NO_DELAY) all receive it at once.
unsigned Target::getMaxIPUSyncDelay() const {
  const IPUModel &machine = info().machine;
  const bool uniform =
      machine.relativeSyncDelay == IPUModel::RelativeSyncDelayType::NO_DELAY;
  return uniform ? machine.minIPUSyncDelay : 2 * machine.minIPUSyncDelay;
}

unsigned Target::getGlobalSyncCycles() const {
  return info().machine.globalSyncCycles;
}

const std::vector<GlobalExchangeConstraint> &
Target::getGlobalExchangeConstraints() const {
  return info().machine.globalExchangeConstraints;
}

IpuLinkConfiguration Target::getIpuLinkConfiguration() const {
  return info().linkConfiguration;
}

IpuLinkTopology Target::getIpuLinkTopology() const {
  return info().linkTopology;
}

unsigned Target::getIpuLinkDomainSize() const { return info().linkDomainSize; }

unsigned Target::getInstanceSize() const { return info().instanceSize; }

bool Target::getGatewayMode() const { return info().gatewayMode; }

std::size_t Target::hash() const {
  if (!info_)
    return 0;
  const std::hash<std::string> hash;
  return hash(info().system) ^ (std::size_t(info().type) << 60) ^
         (std::size_t(getNumIPUs()) << 32) ^ getTilesPerIPU();
}

bool Target::operator==(const Target &other) const {
  if (info_ == other.info_)
    return true;
  return info_ && other.info_ && identityOf(*info_) == identityOf(*other.info_);
}

bool Target::operator!=(const Target &other) const { return !(*this == other); }

bool Target::operator<(const Target &other) const {
  if (!info_ || !other.info_)
    return !info_ && other.info_;
  return identityOf(*info_) < identityOf(*other.info_);
}

void copyFloatToDeviceHalf(const Target &, const float *src, void *dst,
                           std::size_t count) {
  ipumodel::convertToDevice(HALF, TypeTraits::make<float>(), src, count, dst);
}

void copyDeviceHalfToFloat(const Target &, const void *src, float *dst,
                           std::size_t count) {
  ipumodel::convertFromDevice(HALF, TypeTraits::make<float>(), src, count, dst);
}

void copyDoubleToDeviceHalf(const Target &, const double *src, void *dst,
                            std::size_t count) {
  ipumodel::convertToDevice(HALF, TypeTraits::make<double>(), src, count, dst);
}

void copyDeviceHalfToDouble(const Target &, const void *src, double *dst,
                            std::size_t count) {
  ipumodel::convertFromDevice(HALF, TypeTraits::make<double>(), src, count,
                              dst);
}

} // namespace poplar
