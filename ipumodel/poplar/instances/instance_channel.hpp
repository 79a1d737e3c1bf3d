// The exchanges of one engine, or of one communicator, with its twins on the
// other instances.
//
// All instances must make the same exchanges in the same order. Every exchange
// says what it is, and the instances compare that before any data is used: a
// mistake ends in an error on every instance instead of wrong numbers, and
// waiting ends after a time.
#pragma once

#include "poplar/instances/instance_link.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ipumodel {

// What an instance does in an exchange.
struct ExchangeStep {
  // The name is for messages, as in "gcl.reduce 'grads'"; `parameters` is a
  // hash of all that must be equal besides.
  explicit ExchangeStep(std::string name, std::uint64_t parameters = 0);

  std::string name;
  std::uint64_t hash; // of both
};

class InstanceChannel {
public:
  // A timeout of 0 means to wait for ever.
  InstanceChannel(std::shared_ptr<InstanceLink> link,
                  std::chrono::duration<double> timeout);

  unsigned numInstances() const { return link_->numInstances(); }
  unsigned index() const { return link_->index(); }
  void setTimeout(std::chrono::duration<double> timeout) { timeout_ = timeout; }

  // Records a value that decided where the program continues. `name` must
  // outlive the channel.
  void decided(const std::string &name, std::int64_t value);

  // Makes sure that all instances are at this step, then moves the blocks. Any
  // instance may give none. Throws application_runtime_error if the instances
  // disagree, on all of them, and system_runtime_error after the timeout.
  void exchange(const ExchangeStep &step,
                const std::vector<OutgoingBlock> &outgoing,
                std::vector<IncomingBlock> &incoming);
  // Moves further blocks of the same step.
  void proceed(const ExchangeStep &step,
               const std::vector<OutgoingBlock> &outgoing,
               std::vector<IncomingBlock> &incoming);
  void meet(const ExchangeStep &step) { // moves nothing
    std::vector<IncomingBlock> none;
    exchange(step, {}, none);
  }

  // Up to this many bytes from one instance to another travel with the
  // announcement of an exchange, which saves a message.
  static constexpr std::size_t kSmall = 3584;

private:
  struct Decision {
    const std::string *name = nullptr;
    std::int64_t value = 0;
  };
  static constexpr std::size_t kDecisions = 32; // kept for messages

  // Whoever is missing in the first part of a step did not come to it. Later
  // all were there, and who is missing may itself wait for another.
  enum class Part { first, later };
  void transfer(const ExchangeStep &step, Part part,
                const std::vector<OutgoingBlock> &outgoing,
                std::vector<IncomingBlock> &incoming);
  // As messages name them.
  std::string instance(unsigned index) const;
  std::string listOf(const std::vector<unsigned> &instances) const;
  void compare(const ExchangeStep &step,
               const std::vector<IncomingBlock> &announcements);
  // The same number of bytes from every instance, in their order.
  std::vector<char> fromAll(const ExchangeStep &step,
                            const std::vector<char> &own);
  // Throws, naming the steps of both.
  [[noreturn]] void explainSteps(const ExchangeStep &step, unsigned other,
                                 std::uint64_t otherSequence, bool otherStep);
  // Throws, naming the first decision that differs, if it is still known.
  void explainDecisions(const ExchangeStep &step, unsigned other);
  std::vector<char> packDecisions() const;

  const std::shared_ptr<InstanceLink> link_;
  std::chrono::duration<double> timeout_;
  std::uint64_t sequence_ = 0;
  std::uint64_t control_ = 0; // a hash of all decisions
  std::uint64_t numDecisions_ = 0;
  std::array<Decision, kDecisions> decisions_;
  std::vector<char> announced_, heard_; // one message for each instance
  std::vector<OutgoingBlock> announcements_;
  std::vector<IncomingBlock> replies_;
};

} // namespace ipumodel
