// Instances that are threads of one process.
#pragma once

#include "poplar/instances/instance_link.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace instancetest {

// The mail between all instances.
class ThreadHub {
public:
  explicit ThreadHub(unsigned numInstances) : numInstances_(numInstances) {}
  unsigned numInstances() const { return numInstances_; }

  void send(unsigned from, const ipumodel::OutgoingBlock &block) {
    const char *data = static_cast<const char *>(block.data);
    const std::lock_guard<std::mutex> lock(mutex_);
    mail_[{from, block.instance}].emplace_back(data, data + block.bytes);
    changed_.notify_all();
  }
  bool receive(unsigned to, ipumodel::IncomingBlock &block,
               ipumodel::InstanceLink::Deadline deadline) {
    std::unique_lock<std::mutex> lock(mutex_);
    auto &box = mail_[{block.instance, to}];
    const auto arrived = [&] { return !box.empty(); };
    if (deadline == ipumodel::InstanceLink::Deadline::max())
      changed_.wait(lock, arrived);
    else if (!changed_.wait_until(lock, deadline, arrived))
      return false;
    block.bytes = std::min(block.bytes, box.front().size());
    std::copy_n(box.front().begin(), block.bytes,
                static_cast<char *>(block.data));
    box.pop_front();
    return true;
  }

private:
  const unsigned numInstances_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<unsigned, unsigned>, std::deque<std::vector<char>>> mail_;
};

class ThreadLink : public ipumodel::InstanceLink {
public:
  ThreadLink(ThreadHub &hub, unsigned index) : hub_(hub), index_(index) {}
  unsigned numInstances() const override { return hub_.numInstances(); }
  unsigned index() const override { return index_; }
  std::vector<unsigned>
  transfer(const std::vector<ipumodel::OutgoingBlock> &outgoing,
           std::vector<ipumodel::IncomingBlock> &incoming,
           Deadline deadline) override {
    for (const ipumodel::OutgoingBlock &block : outgoing)
      hub_.send(index_, block);
    std::vector<unsigned> missing;
    for (ipumodel::IncomingBlock &block : incoming)
      if (!hub_.receive(index_, block, deadline))
        missing.push_back(block.instance);
    return missing;
  }

private:
  ThreadHub &hub_;
  unsigned index_;
};

// The link that engines of this thread get.
inline std::shared_ptr<ipumodel::InstanceLink> &linkOfThread() {
  thread_local std::shared_ptr<ipumodel::InstanceLink> link;
  return link;
}

// Runs `body` once for each instance, each on its own thread. Returns what each
// threw, or "".
inline std::vector<std::string>
onInstances(unsigned count, const std::function<void(unsigned)> &body) {
  ipumodel::setEngineLinkProvider([] { return linkOfThread(); });
  ThreadHub hub(count);
  std::vector<std::string> errors(count);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      linkOfThread() = std::make_shared<ThreadLink>(hub, i);
      try {
        body(i);
      } catch (const std::exception &error) {
        errors[i] = error.what();
      }
      linkOfThread() = nullptr;
    });
  for (std::thread &thread : threads)
    thread.join();
  return errors;
}

} // namespace instancetest
