#include "poplar/device/device_state.hpp"
#include "poplar/device/target_info.hpp"

#include <poplar/DeviceManager.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/exceptions.hpp>

#include <cstdlib>
#include <numeric>
#include <sstream>
#include <string>

namespace poplar {
namespace {

constexpr const char *kVariable = "IPUMODEL_DEVICES";
constexpr unsigned kMaxIpus = 256;

// "4", "2:ipu1", "2:ipu2:16"; unset or empty: no IPU.
struct Offer {
  unsigned numIpus = 0;
  IPUModel chip;
};

[[noreturn]] void malformed(const std::string &value) {
  throw invalid_option(
      std::string(kVariable) + " cannot be '" + value +
      "'; use <IPUs>[:<architecture>[:<tiles per IPU>]] with at most " +
      std::to_string(kMaxIpus) + " IPUs, as in 4, 2:ipu1 or 2:ipu2:16");
}

unsigned parseCount(const std::string &digits, const std::string &value) {
  if (digits.empty() || digits.size() > 6 ||
      digits.find_first_not_of("0123456789") != digits.npos)
    malformed(value);
  return unsigned(std::stoul(digits));
}

Offer parseOffer(const std::string &value) {
  Offer offer;
  if (value.empty())
    return offer;
  std::istringstream parts(value);
  std::string number, version, tiles, rest;
  std::getline(parts, number, ':');
  std::getline(parts, version, ':');
  std::getline(parts, tiles, ':');
  if (std::getline(parts, rest) || value.back() == ':')
    malformed(value);
  offer.numIpus = parseCount(number, value);
  if (offer.numIpus > kMaxIpus)
    malformed(value);
  try {
    if (!version.empty())
      offer.chip = IPUModel(version.c_str());
    if (!tiles.empty())
      offer.chip.tilesPerIPU = parseCount(tiles, value);
    ipumodel::checkMachine(offer.chip);
  } catch (const invalid_machine_model &) {
    malformed(value);
  }
  return offer;
}

} // namespace

DeviceManager::DeviceManager() {
  const char *value = std::getenv(kVariable);
  const Offer offer = parseOffer(value ? value : "");
  for (unsigned size = 1; size <= offer.numIpus; size *= 2)
    for (unsigned first = 0; first + size <= offer.numIpus; first += size)
      sets_.push_back({first, size});
  if (!sets_.empty())
    ipu_ = Target::createIPUTarget(1, offer.chip.tilesPerIPU,
                                   offer.chip.IPUVersion);
}

DeviceManager DeviceManager::createDeviceManager() { return DeviceManager(); }

std::size_t DeviceManager::getNumDevices() const { return sets_.size(); }

std::vector<Device>
DeviceManager::getDevices(const OptionFlags &options) const {
  std::vector<Device> devices;
  for (unsigned id = 0; id < sets_.size(); ++id)
    devices.push_back(makeDevice(id, options));
  return devices;
}

std::vector<Device>
DeviceManager::getDevices(TargetType type, unsigned requiredNumIPUs,
                          const OptionFlags &options) const {
  std::vector<Device> devices;
  for (unsigned id = 0; id < sets_.size(); ++id)
    if (type == TargetType::IPU && sets_[id].size == requiredNumIPUs)
      devices.push_back(makeDevice(id, options));
  return devices;
}

Device DeviceManager::getDevice(unsigned deviceManagerId,
                                const OptionFlags &options) const {
  return makeDevice(deviceManagerId, options);
}

std::vector<unsigned>
DeviceManager::getChildDeviceIds(unsigned parentId,
                                 unsigned numChildDeviceIpus) const {
  const IpuSet &parent = find(parentId);
  std::vector<unsigned> ids;
  for (unsigned id = 0; id < sets_.size(); ++id)
    if (sets_[id].size == numChildDeviceIpus && sets_[id].size < parent.size &&
        sets_[id].first >= parent.first &&
        sets_[id].first < parent.first + parent.size)
      ids.push_back(id);
  return ids;
}

const DeviceManager::IpuSet &DeviceManager::find(unsigned id) const {
  if (id >= sets_.size())
    throw poplar_error("No such device set id: '" + std::to_string(id) + "'");
  return sets_[id];
}

Device DeviceManager::makeDevice(unsigned id,
                                 const OptionFlags &options) const {
  const IpuSet &set = find(id);
  std::vector<unsigned> ipus(set.size);
  std::iota(ipus.begin(), ipus.end(), set.first);
  return ipumodel::DeviceAccess::make(std::make_unique<ipumodel::DeviceState>(
      id,
      Target::createIPUTarget(set.size, ipu_.getTilesPerIPU(),
                              ipu_.getTargetSystemString(), options),
      std::move(ipus)));
}

} // namespace poplar
