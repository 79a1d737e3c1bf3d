#include "host/plan/options/device.hpp"

#include "host/command.hpp"

#include <poplar/DeviceManager.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Target.hpp>

#include <popdist/popdist_poplar.hpp>
#include <utility>

namespace popscope::host {

namespace {

void checkTiles(unsigned tiles, unsigned available) {
  if (tiles > available)
    throw BadInput("--tiles " + std::to_string(tiles) + ": an IPU has " +
                   std::to_string(available) + " tiles");
}

constexpr const char *kIpuKind = "ipu2";

bool isEngineOfSdk() {
  const std::string engine(poplar::versionString());
  return engine.find("ipumodel") == std::string::npos;
}

// Why no IPU could be attached, and what to do about it.
std::string whyNoIpu(const poplar::DeviceManager &manager, unsigned needed) {
  if (!isEngineOfSdk())
    return "this program was built without the Poplar SDK and cannot use IPUs; "
           "use --device model, or build on the SDK as docs/sdk.md describes";
  if (manager.getDevices(poplar::TargetType::IPU, 1).empty())
    return "this machine has no IPU; use --device model";
  return std::to_string(needed) +
         (needed == 1 ? " IPU is" : " connected IPUs are") +
         " needed, and not free; wait, or use --device model";
}

poplar::Device withTiles(poplar::Device device,
                         const std::optional<unsigned> &tiles) {
  if (!tiles)
    return device;
  checkTiles(*tiles, device.getTarget().getTilesPerIPU());
  return device.createVirtualDevice(*tiles);
}

poplar::Device modelDevice(const DeviceNeeds &needs) {
  poplar::IPUModel model(kIpuKind);
  model.numIPUs = needs.ipus;
  if (needs.tiles) {
    checkTiles(*needs.tiles, model.tilesPerIPU);
    model.tilesPerIPU = *needs.tiles;
  }
  return model.createDevice();
}

// Those that a training may try.
std::vector<poplar::Device> candidates(const poplar::DeviceManager &manager,
                                       const DeviceNeeds &needs) {
  if (!needs.areOfInstance)
    return manager.getDevices(poplar::TargetType::IPU, needs.ipus);
  std::vector<poplar::Device> own;
  try {
    own.push_back(manager.getDevice(unsigned(
        popdist::getDeviceId(needs.ipus / popdist::getNumLocalReplicas()))));
  } catch (const popdist::popdist_error &) {
    return {};
  }
  return own;
}

} // namespace

poplar::Device openDevice(DeviceChoice choice, const DeviceNeeds &needs) {
  if (choice != DeviceChoice::model) {
    const auto manager = poplar::DeviceManager::createDeviceManager();
    for (poplar::Device &device : candidates(manager, needs))
      if (device.attach())
        return withTiles(std::move(device), needs.tiles);
    if (choice == DeviceChoice::ipu)
      throw BadInput("--device ipu: " + whyNoIpu(manager, needs.ipus));
  }
  poplar::Device device = modelDevice(needs);
  device.attach();
  return device;
}

poplar::Target chooseTarget(DeviceChoice choice, const DeviceNeeds &needs,
                            unsigned instances) {
  if (choice == DeviceChoice::model)
    return targetOfAll(modelDevice(needs).getTarget(), instances);
  const auto manager = poplar::DeviceManager::createDeviceManager();
  for (poplar::Device &device : candidates(manager, needs))
    return targetOfAll(withTiles(std::move(device), needs.tiles).getTarget(),
                       instances);
  const bool isOffline = needs.areOfInstance &&
                         manager.getDevices(poplar::TargetType::IPU, 1).empty();
  if (choice == DeviceChoice::ipu && !isOffline && !isEngineOfSdk())
    throw BadInput("--device ipu: " + whyNoIpu(manager, needs.ipus));
  if (choice == DeviceChoice::automatic && !isOffline)
    return targetOfAll(modelDevice(needs).getTarget(), instances);
  const poplar::Target whole =
      poplar::Target::createIPUTarget(needs.ipus * instances, kIpuKind);
  if (!needs.tiles)
    return whole;
  checkTiles(*needs.tiles, whole.getTilesPerIPU());
  return whole.createVirtualTarget(needs.ipus * instances, *needs.tiles);
}

poplar::Target targetOfAll(const poplar::Target &target, unsigned instances) {
  if (instances == 1)
    return target;
  const unsigned ipus = target.getNumIPUs() * instances;
  if (target.getTargetType() == poplar::TargetType::IPU)
    return poplar::Target::createIPUTarget(ipus, target.getTilesPerIPU(),
                                           target.getTargetArchString(),
                                           target.getTargetOptions());
  return modelDevice({ipus, target.getTilesPerIPU()}).getTarget();
}

std::vector<DeviceOffer> deviceOffers() {
  const auto manager = poplar::DeviceManager::createDeviceManager();
  DeviceOffer ipu{"ipu", false, ""};
  for (const poplar::Device &device :
       manager.getDevices(poplar::TargetType::IPU, 1)) {
    ipu.isUsable = device.attach();
    if (!ipu.isUsable)
      continue;
    ipu.what = describe(device);
    device.detach();
    break;
  }
  if (!ipu.isUsable)
    ipu.what = whyNoIpu(manager, 1);
  const DeviceOffer model{
      "model", true,
      describe(openDevice(DeviceChoice::model, {})) +
          "; runs on the CPU, with as many IPUs as a training needs"};
  return {{"auto", true,
           ipu.isUsable ? "ipu, if as many are free as a training needs; "
                          "else model"
                        : "model, because ipu cannot be used"},
          ipu,
          model};
}

std::string describe(const poplar::Device &device) {
  return describe(device.getTarget());
}

std::string describe(const poplar::Target &target) {
  const bool isIpu = target.getTargetType() == poplar::TargetType::IPU;
  const unsigned ipus = target.getNumIPUs();
  return std::string(isIpu ? "IPU" : "IPU model") + ", " +
         std::to_string(ipus) + (ipus == 1 ? " IPU of " : " IPUs of ") +
         std::to_string(target.getTilesPerIPU()) + " tiles";
}

} // namespace popscope::host
