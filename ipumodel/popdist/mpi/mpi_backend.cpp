// Instances as ranks of Open MPI. The only file that includes <mpi.h>.
#include "popdist/backend_module.hpp"
#include "poplar/base/content_hash.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <map>
#include <mpi.h>
#include <mutex>
#include <sched.h>
#include <set>
#include <unistd.h>

namespace ipumodel {

namespace {

void check(int code, const char *function) {
  if (code == MPI_SUCCESS)
    return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw poplar::system_runtime_error(
      std::string(function) + ": " +
      std::string(text, static_cast<std::size_t>(length)));
}

// MPI counts in int.
constexpr std::size_t kChunk = std::size_t(1) << 30;

// Whether each process that mpirun started on this host can have a core.
bool hasOwnCore() {
  const char *const processes = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  return processes && std::atol(processes) <= sysconf(_SC_NPROCESSORS_ONLN);
}

// How to wait: at first as if the others came at once, without giving up the
// core, for what is given up may not come back soon. Where there are more
// instances than cores, and after some time, leaves the core to those who
// compute.
class Patience {
public:
  void progressed() { rounds_ = 0; }
  void wait() {
    static const unsigned kSpin = hasOwnCore() ? 4096 : 64;
    constexpr unsigned kYield = 4096, kShort = 4096;
    ++rounds_;
    if (rounds_ < kSpin)
      return;
    if (rounds_ < kSpin + kYield) {
      sched_yield();
      return;
    }
    const timespec pause{0,
                         rounds_ < kSpin + kYield + kShort ? 50'000 : 500'000};
    nanosleep(&pause, nullptr);
  }
  // Whether to look at the clock now.
  bool isLong() const { return rounds_ % 32 == 31; }

private:
  unsigned rounds_ = 0;
};

// The messages of one transfer; used again for the next.
class Requests {
public:
  Requests(MPI_Comm comm, int tag, std::vector<unsigned> ranks)
      : comm_(comm), tag_(tag), ranks_(std::move(ranks)) {}

  const std::vector<unsigned> &ranks() const { return ranks_; } // by instance

  void clear() {
    requests_.clear();
    messages_.clear();
  }

  void receive(IncomingBlock &block) {
    forChunks(block.bytes, [&](std::size_t at, int count) {
      MPI_Request request;
      check(MPI_Irecv(static_cast<char *>(block.data) + at, count, MPI_BYTE,
                      int(ranks_[block.instance]), tag_, comm_, &request),
            "MPI_Irecv");
      add(request, block.instance, &block);
    });
    block.bytes = 0; // grows with what arrives
  }
  void send(const OutgoingBlock &block) {
    forChunks(block.bytes, [&](std::size_t at, int count) {
      MPI_Request request;
      check(MPI_Isend(static_cast<const char *>(block.data) + at, count,
                      MPI_BYTE, int(ranks_[block.instance]), tag_, comm_,
                      &request),
            "MPI_Isend");
      add(request, block.instance, nullptr);
    });
  }

  // The instances whose messages are not done at the deadline.
  std::vector<unsigned> finish(InstanceLink::Deadline deadline) {
    const int all = int(requests_.size());
    done_.resize(requests_.size());
    statuses_.resize(requests_.size());
    std::size_t open = requests_.size();
    Patience patience;
    while (open) {
      int numDone = 0;
      const int code = MPI_Testsome(all, requests_.data(), &numDone,
                                    done_.data(), statuses_.data());
      for (int i = 0; code == MPI_ERR_IN_STATUS && i < numDone; ++i)
        check(statuses_[std::size_t(i)].MPI_ERROR, "MPI_Testsome");
      check(code, "MPI_Testsome");
      for (int i = 0; i < numDone; ++i)
        complete(std::size_t(done_[std::size_t(i)]), statuses_[std::size_t(i)]);
      open -= std::size_t(numDone);
      if (numDone) {
        patience.progressed();
        continue;
      }
      patience.wait();
      if (patience.isLong() && std::chrono::steady_clock::now() > deadline)
        return giveUp();
    }
    return {};
  }

private:
  struct Message {
    unsigned instance;
    IncomingBlock *block; // null: outgoing
  };

  template <class F> static void forChunks(std::size_t bytes, F &&f) {
    std::size_t at = 0;
    do {
      const std::size_t count = std::min(bytes - at, kChunk);
      f(at, int(count));
      at += count;
    } while (at < bytes);
  }
  void add(MPI_Request request, unsigned instance, IncomingBlock *block) {
    requests_.push_back(request);
    messages_.push_back({instance, block});
  }
  void complete(std::size_t index, const MPI_Status &status) {
    if (!messages_[index].block)
      return;
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    messages_[index].block->bytes += std::size_t(count);
  }
  std::vector<unsigned> giveUp() {
    std::set<unsigned> missing;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL)
        continue;
      missing.insert(messages_[i].instance);
      if (messages_[i].block)
        MPI_Cancel(&requests_[i]);
      MPI_Request_free(&requests_[i]);
    }
    return {missing.begin(), missing.end()};
  }

  MPI_Comm comm_;
  int tag_;
  const std::vector<unsigned> ranks_;
  std::vector<MPI_Request> requests_;
  std::vector<Message> messages_;
  std::vector<int> done_;
  std::vector<MPI_Status> statuses_;
};

class MpiLink : public InstanceLink {
public:
  MpiLink(MPI_Comm comm, int tag, const std::vector<unsigned> &ranks,
          unsigned rank)
      : requests_(comm, tag, ranks),
        index_(unsigned(std::find(ranks.begin(), ranks.end(), rank) -
                        ranks.begin())) {}

  unsigned numInstances() const override {
    return unsigned(requests_.ranks().size());
  }
  unsigned index() const override { return index_; }
  unsigned numberOf(unsigned instance) const override {
    return requests_.ranks()[instance];
  }
  std::vector<unsigned> transfer(const std::vector<OutgoingBlock> &outgoing,
                                 std::vector<IncomingBlock> &incoming,
                                 Deadline deadline) override {
    int isFinalized = 0;
    MPI_Finalized(&isFinalized);
    if (isBroken_ || isFinalized)
      throw poplar::system_runtime_error(
          isBroken_ ? "the link to the other instances broke when one of them "
                      "did not come"
                    : "the backend of popdist is already finalised");
    requests_.clear();
    for (IncomingBlock &block : incoming)
      requests_.receive(block);
    for (const OutgoingBlock &block : outgoing)
      requests_.send(block);
    const std::vector<unsigned> missing = requests_.finish(deadline);
    isBroken_ = !missing.empty();
    return missing;
  }

private:
  Requests requests_;
  const unsigned index_;
  bool isBroken_ = false;
};

class MpiBackend : public Backend {
public:
  MpiBackend() {
    int isInitialized = 0, threads = MPI_THREAD_SINGLE;
    MPI_Initialized(&isInitialized);
    isOurs_ = !isInitialized;
    if (isOurs_)
      check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &threads),
            "MPI_Init_thread");
    else
      MPI_Query_thread(&threads);
    if (threads != MPI_THREAD_MULTIPLE)
      throw poplar::system_runtime_error(
          "this Open MPI does not support calls from several threads "
          "(MPI_THREAD_MULTIPLE)");
    check(MPI_Comm_dup(MPI_COMM_WORLD, &comm_), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    void *value = nullptr;
    int isSet = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &isSet);
    if (isSet)
      maxTag_ = *static_cast<int *>(value);
  }

  unsigned numInstances() const override { return unsigned(size_); }
  unsigned index() const override { return unsigned(rank_); }

  // A tag for each name, so that nothing needs to be agreed on.
  std::shared_ptr<InstanceLink>
  link(const std::string &name, const std::vector<unsigned> &members) override {
    const auto tag = int(contentHash(name) % std::uint64_t(maxTag_));
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::string &owner = tags_.emplace(tag, name).first->second;
    if (owner != name)
      throw poplar::system_runtime_error("communicators '" + owner + "' and '" +
                                         name +
                                         "' have the same tag: rename one");
    return std::make_shared<MpiLink>(comm_, tag, members, index());
  }

  void finalize() override {
    if (isOurs_)
      check(MPI_Finalize(), "MPI_Finalize");
  }

private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, maxTag_ = 32767;
  bool isOurs_;
  std::mutex mutex_;
  std::map<int, std::string> tags_;
};

} // namespace

} // namespace ipumodel

// NOLINTNEXTLINE(readability-identifier-naming): the name of C symbols
extern "C" ipumodel::Backend *ipumodel_popdist_backend() {
  return new ipumodel::MpiBackend;
}
