// How instances reach each other: register a backend, initialise it, use it,
// finalise it, each once. Misuse throws popdist_error.
#pragma once

#include <cstdint>
#include <popdist/context.hpp>
#include <set>
#include <string>

namespace poplar {
class Engine;
} // namespace poplar

namespace popdist {

// Open MPI, or nothing if there is only one instance.
void registerDefaultBackend();
void registerBackend(const std::string &file_path_backend); // a .so file

void initializeBackend();
bool isBackendInitialized();
// Waits for the other instances. A process that fails leaves without it.
void finalizeBackend();

constexpr const char *defaultCommunicatorId() {
  return "popdist.communicator.default";
}
// The participants call it alike, before they use the communicator. One that is
// not registered has all instances.
void registerCommunicator(
    const std::set<std::uint32_t> &participants,
    const std::string &communicator_id = defaultCommunicatorId());

// Waits for all participants.
void synchronize(const std::string &communicator_id = defaultCommunicatorId());

// Runs a program on all instances together: none waits in the program for one
// that has yet to start it.
void run(poplar::Engine &engine, unsigned prog,
         const std::string &debugName = "");

} // namespace popdist
