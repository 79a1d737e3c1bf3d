// The processes that run one program together, each with a slice of its
// replicas.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace popscope::outfeed {

struct ReplicaSlice {
  unsigned instances = 1, instance = 0;
  unsigned replicas = 1; // of all instances; each has as many

  unsigned localReplicas() const { return replicas / instances; }
  unsigned firstReplica() const { return instance * localReplicas(); }
  unsigned instanceOf(unsigned replica) const {
    return replica / localReplicas();
  }
  bool isFirst() const { return instance == 0; }
  bool isSplit() const { return instances > 1; }
};

// All instances call the functions alike: those of a channel in the same order,
// channels in any. They wait for each other and throw std::runtime_error if one
// does not come.
class Instances {
public:
  explicit Instances(const ReplicaSlice &slice) : slice_(slice) {}
  virtual ~Instances() = default;
  Instances(const Instances &) = delete;
  Instances &operator=(const Instances &) = delete;

  const ReplicaSlice &slice() const { return slice_; }

  // The bytes of all instances, in their order: for the first one. The others
  // get nothing.
  virtual std::vector<std::string> gather(const std::string &bytes,
                                          const std::string &channel) = 0;
  // Those of the first instance, for all.
  virtual void broadcast(void *data, std::size_t bytes,
                         const std::string &channel) = 0;
  // Whether it holds in any of them.
  virtual bool any(bool here, const std::string &channel) = 0;

  bool ofFirst(bool here, const std::string &channel) {
    broadcast(&here, sizeof here, channel);
    return here;
  }
  std::string ofFirst(std::string here, const std::string &channel) {
    std::size_t size = here.size();
    broadcast(&size, sizeof size, channel);
    here.resize(size);
    broadcast(here.data(), size, channel);
    return here;
  }

private:
  const ReplicaSlice slice_;
};

// One process with all replicas.
class SoleInstance : public Instances {
public:
  explicit SoleInstance(unsigned replicas = 1) : Instances({1, 0, replicas}) {}

  std::vector<std::string> gather(const std::string &bytes,
                                  const std::string &) override {
    return {bytes};
  }
  void broadcast(void *, std::size_t, const std::string &) override {}
  bool any(bool here, const std::string &) override { return here; }
};

} // namespace popscope::outfeed
