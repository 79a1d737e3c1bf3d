#include "popdist/backend_module.hpp"
#include "popdist/communicators.hpp"
#include "poplar/engine/engine_access.hpp"
#include "poplar/options/engine_options.hpp"

#include <poplar/Engine.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <numeric>
#include <popdist/backend.hpp>
#include <unistd.h>

namespace ipumodel {

namespace {

constexpr const char *kDefaultBackend = "libpopdist_mpi.so";
constexpr const char *kFinalize = "popdist.finalizeBackend";
constexpr const char *kEngines = "popdist.engines";

// One instance: nobody to talk to.
class SoloLink : public InstanceLink {
public:
  unsigned numInstances() const override { return 1; }
  unsigned index() const override { return 0; }
  std::vector<unsigned> transfer(const std::vector<OutgoingBlock> &,
                                 std::vector<IncomingBlock> &,
                                 Deadline) override {
    return {};
  }
};

class SoloBackend : public Backend {
public:
  unsigned numInstances() const override { return 1; }
  unsigned index() const override { return 0; }
  std::shared_ptr<InstanceLink> link(const std::string &,
                                     const std::vector<unsigned> &) override {
    return std::make_shared<SoloLink>();
  }
  void finalize() override {}
};

Backend *makeSolo() { return new SoloBackend; }

struct State {
  std::mutex mutex;
  MakeBackend *make = nullptr; // once one is registered
  std::unique_ptr<Backend> backend;
  bool isFinalized = false;
  std::map<std::string, std::vector<unsigned>> registered; // participants
  std::map<std::string, std::unique_ptr<Communicator>> communicators;
};

// Never destroyed: threads may use it while the process ends.
State &state() {
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
  static State *const theState = new State;
  return *theState;
}

std::vector<unsigned> everyone(const Backend &backend) {
  std::vector<unsigned> members(backend.numInstances());
  std::iota(members.begin(), members.end(), 0u);
  return members;
}

void requireBackend() {
  if (!state().backend)
    throw popdist::popdist_error(state().isFinalized
                                     ? "the backend is already finalised"
                                     : "no backend is initialised: call "
                                       "popdist::initializeBackend first");
}

} // namespace

Communicator &communicator(const std::string &id) {
  const std::lock_guard<std::mutex> lock(state().mutex);
  requireBackend();
  auto &found = state().communicators[id];
  if (!found) {
    const auto registered = state().registered.find(id);
    const std::vector<unsigned> members = registered == state().registered.end()
                                              ? everyone(*state().backend)
                                              : registered->second;
    const unsigned index = state().backend->index();
    if (std::find(members.begin(), members.end(), index) == members.end())
      throw popdist::popdist_error("communicator '" + id + "': instance " +
                                   std::to_string(index) +
                                   " is not a participant");
    found = std::make_unique<Communicator>(
        InstanceChannel(state().backend->link(id, members),
                        std::chrono::duration<double>(hostSyncTimeout())));
  }
  return *found;
}

std::shared_ptr<InstanceLink> linkOfEngines() {
  if (!popdist::isBackendInitialized()) {
    if (!state().make)
      popdist::registerDefaultBackend();
    popdist::initializeBackend();
  }
  const std::lock_guard<std::mutex> lock(state().mutex);
  return state().backend->link(kEngines, everyone(*state().backend));
}

} // namespace ipumodel

namespace popdist {

using namespace ipumodel;

namespace {

std::string besideThisLibrary(const std::string &file) {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&registerDefaultBackend), &info) ||
      !info.dli_fname)
    return file;
  const std::string here = info.dli_fname;
  return here.substr(0, here.rfind('/') + 1) + file;
}

// Returns why not, or "".
std::string load(const std::string &path, MakeBackend *&make) {
  // Global, because the parts that Open MPI loads later look for its symbols.
  void *const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!handle)
    return dlerror();
  make = reinterpret_cast<MakeBackend *>(dlsym(handle, kMakeBackend));
  return make ? "" : path + " is not a backend of this popdist";
}

void requireUnregistered() {
  if (state().make)
    throw popdist_error("a backend is already registered");
}

void finalizeAtExit(int status, void *) {
  // A failed process must not wait for the others: its status ends them.
  if (status != 0 || !isBackendInitialized())
    return;
  try {
    finalizeBackend();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "popdist: %s\n", error.what());
    std::fflush(nullptr);
    _exit(1);
  }
}

const bool registered = [] {
  setEngineLinkProvider(linkOfEngines);
  return true;
}();

} // namespace

void registerBackend(const std::string &path) {
  const std::lock_guard<std::mutex> lock(state().mutex);
  requireUnregistered();
  MakeBackend *make = nullptr;
  const std::string error = load(path, make);
  if (!make)
    throw popdist_error("the backend cannot be loaded: " + error);
  state().make = make;
}

void registerDefaultBackend() {
  const std::lock_guard<std::mutex> lock(state().mutex);
  requireUnregistered();
  const unsigned numInstances = getNumInstances();
  if (numInstances == 1) {
    state().make = makeSolo;
    return;
  }
  MakeBackend *make = nullptr;
  const std::string error = load(besideThisLibrary(kDefaultBackend), make);
  if (!make)
    throw popdist_error(
        std::to_string(numInstances) +
        " instances need Open MPI: install libopenmpi-dev and openmpi-bin and "
        "build the engine again (" +
        error + ")");
  state().make = make;
}

void initializeBackend() {
  const std::lock_guard<std::mutex> lock(state().mutex);
  if (!state().make)
    throw popdist_error("no backend is registered: call "
                        "popdist::registerDefaultBackend first");
  if (state().backend)
    throw popdist_error("the backend is already initialised");
  if (state().isFinalized)
    throw popdist_error("the backend is already finalised");
  std::unique_ptr<Backend> backend(state().make());
  if (backend->numInstances() != getNumInstances() ||
      backend->index() != getInstanceIndex())
    throw popdist_error("the environment says instance " +
                        std::to_string(getInstanceIndex()) + " of " +
                        std::to_string(getNumInstances()) + ", the backend " +
                        std::to_string(backend->index()) + " of " +
                        std::to_string(backend->numInstances()) +
                        ": start the program with poprun");
  state().backend = std::move(backend);
  on_exit(finalizeAtExit, nullptr);
}

bool isBackendInitialized() {
  const std::lock_guard<std::mutex> lock(state().mutex);
  return state().backend != nullptr;
}

void finalizeBackend() {
  synchronize(kFinalize);
  const std::lock_guard<std::mutex> lock(state().mutex);
  requireBackend();
  state().backend->finalize();
  state().backend = nullptr;
  state().isFinalized = true;
}

void registerCommunicator(const std::set<std::uint32_t> &participants,
                          const std::string &id) {
  const std::lock_guard<std::mutex> lock(state().mutex);
  requireBackend();
  if (participants.empty() ||
      *participants.rbegin() >= state().backend->numInstances())
    throw popdist_error(
        "communicator '" + id + "': the participants must be some of the " +
        std::to_string(state().backend->numInstances()) + " instances");
  const bool isNew =
      state().communicators.count(id) == 0 &&
      state()
          .registered
          .emplace(id, std::vector<unsigned>(participants.begin(),
                                             participants.end()))
          .second;
  if (!isNew)
    throw popdist_error("communicator '" + id +
                        "' is already registered or in use");
}

void synchronize(const std::string &id) {
  Communicator &all = communicator(id);
  const std::lock_guard<std::mutex> lock(all.mutex);
  try {
    all.channel.meet(ExchangeStep("popdist::synchronize '" + id + "'"));
  } catch (const poplar::poplar_error &error) {
    throw popdist_error(error.what());
  }
}

void run(poplar::Engine &engine, unsigned prog, const std::string &debugName) {
  EngineAccess::startTogether(engine, prog, debugName);
  engine.run(prog, debugName);
}

} // namespace popdist
