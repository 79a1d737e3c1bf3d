#include "host/device.hpp"

#include "host/command.hpp"

#include <poplar/DeviceManager.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Target.hpp>

#include <utility>

namespace popscope::host {

poplar::Device openDevice(DeviceChoice choice) {
  if (choice != DeviceChoice::model) {
    const auto manager = poplar::DeviceManager::createDeviceManager();
    for (poplar::Device &device :
         manager.getDevices(poplar::TargetType::IPU, 1))
      if (device.attach())
        return std::move(device);
    if (choice == DeviceChoice::ipu)
      throw BadInput("--device ipu: no IPU can be attached");
  }
  poplar::Device device = poplar::IPUModel("ipu2").createDevice();
  device.attach();
  return device;
}

std::string describe(const poplar::Device &device) {
  const poplar::Target &target = device.getTarget();
  const bool isIpu = target.getTargetType() == poplar::TargetType::IPU;
  return std::string(isIpu ? "IPU" : "IPU model") + ", " +
         std::to_string(target.getNumTiles()) + " tiles";
}

} // namespace popscope::host
