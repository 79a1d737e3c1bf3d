#include "poplar/device/device_state.hpp"

#include <poplar/Device.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <set>

namespace ipumodel {
namespace {

constexpr unsigned kNoId = std::numeric_limits<unsigned>::max();
// Above all ids of DeviceManager.
constexpr unsigned kFirstPrivateId = 1u << 16;

// The IPUs of the system that Devices of this process are attached to.
class HeldIpus {
public:
  static HeldIpus &ofProcess() {
    static HeldIpus held;
    return held;
  }

  // Takes all of them or none.
  bool take(const std::vector<unsigned> &ipus) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool free = std::none_of(ipus.begin(), ipus.end(), [&](unsigned ipu) {
      return held_.count(ipu) != 0;
    });
    if (free)
      held_.insert(ipus.begin(), ipus.end());
    return free;
  }

  void release(const std::vector<unsigned> &ipus) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const unsigned ipu : ipus)
      held_.erase(ipu);
  }

private:
  std::mutex mutex_;
  std::set<unsigned> held_;
};

} // namespace

bool DeviceState::attach() {
  if (!ipus.empty() && (attached || !HeldIpus::ofProcess().take(ipus)))
    return false;
  attached = true;
  return true;
}

void DeviceState::detach() {
  if (attached)
    HeldIpus::ofProcess().release(ipus);
  attached = false;
}

poplar::Device makePrivateDevice(poplar::Target target, unsigned id) {
  static std::atomic<unsigned> nextId{kFirstPrivateId};
  return DeviceAccess::make(std::make_unique<DeviceState>(
      id == kNoId ? nextId++ : id, std::move(target), std::vector<unsigned>()));
}

} // namespace ipumodel

namespace poplar {

Device::Device() = default;

Device::Device(std::unique_ptr<ipumodel::DeviceState> state)
    : state_(std::move(state)) {}

Device::Device(Device &&other) noexcept = default;

Device &Device::operator=(Device &&other) noexcept = default;

Device::~Device() = default;

ipumodel::DeviceState &Device::state() const {
  if (!state_)
    throw poplar_error("this Device is empty: it was never set, or moved from");
  return *state_;
}

Device Device::createCPUDevice(unsigned numIPUs) {
  return ipumodel::makePrivateDevice(Target::createCPUTarget(false, numIPUs),
                                     ipumodel::kNoId);
}

Device Device::createSimulatorDevice(const Target &, const OptionFlags &) {
  throw no_environment("there is no IPU simulator here; use IPUModel");
}

Device Device::createVirtualDevice(unsigned tilesPerIPU) {
  const Target &target = getTarget();
  state().target = target.createVirtualTarget(target.getNumIPUs(), tilesPerIPU);
  return std::move(*this);
}

unsigned Device::getId() const { return state().id; }

const Target &Device::getTarget() const { return state().target; }

bool Device::attach() const { return state().attach(); }

void Device::detach() const { state().detach(); }

bool Device::isAttached() const { return state().attached; }

// Does nothing: memory belongs to the engine that is loaded.
void Device::reset() const { state(); }

// Remote buffers are in host memory, so they are always supported.
bool Device::supportsRemoteBuffers() const {
  state();
  return true;
}

bool Device::hasGateway() const { return getTarget().getGatewayMode(); }

// There is no driver; the version is 0.0.0.
void Device::getDriverVersion(unsigned &major, unsigned &minor,
                              unsigned &point) const {
  state();
  major = minor = point = 0;
}

std::vector<unsigned> Device::getDriverIDs() const { return state().ipus; }

std::map<std::string, std::string> Device::getAttributes() const {
  const Target &target = getTarget();
  return {{"architecture", target.getTargetArchString()},
          {"number of IPUs", std::to_string(target.getNumIPUs())},
          {"tiles per IPU", std::to_string(target.getTilesPerIPU())},
          {"modelled by", "ipumodel"}};
}

} // namespace poplar
