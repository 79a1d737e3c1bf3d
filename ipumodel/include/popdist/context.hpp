// Which instance of a program this process is. PopRun says so in the
// environment; without it, a program is one instance of one replica. A variable
// that cannot be read throws popdist_error with its name.
#pragma once

#include <stdexcept>

namespace popdist {

struct popdist_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

bool isPopdistEnvSet();

unsigned getNumTotalReplicas(); // of all instances
unsigned getNumLocalReplicas();
unsigned getReplicaIndexOffset(); // of the first replica of this instance
unsigned getNumIpusPerReplica();
unsigned getLocalInstanceIndex(); // among those of this host

// Both need as many replicas in each instance.
unsigned getNumInstances();
unsigned getInstanceIndex();

// False if PopRun was told another number of IPUs per replica.
bool checkNumIpusPerReplica(unsigned expected);

} // namespace popdist
