#include "poplar/instances/instance_channel.hpp"

#include "poplar/base/content_hash.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstring>

namespace ipumodel {

namespace {

// The first message of an exchange; small data follow it directly.
struct Announcement {
  std::uint64_t sequence;
  std::uint64_t step; // a hash of its name and parameters
  std::uint64_t control;
  std::uint64_t numDecisions;
  std::uint64_t bytes; // of the data for the receiver
};

constexpr std::size_t kMessage = sizeof(Announcement) + InstanceChannel::kSmall;

// The name of a step as it travels: as much of it as fits, ended by 0.
struct StepText {
  char name[216];
};

// A decision as it travels.
struct DecisionText {
  std::uint64_t number;
  std::int64_t value;
  char name[112];
};

template <std::size_t N> void copyText(const std::string &text, char (&to)[N]) {
  std::memset(to, 0, N);
  std::memcpy(to, text.data(), std::min(text.size(), N - 1));
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  const std::uint64_t pair[2] = {hash, value};
  return contentHash({reinterpret_cast<const char *>(pair), sizeof(pair)});
}

template <class Blocks>
std::uint64_t bytesFor(unsigned instance, const Blocks &blocks) {
  std::uint64_t bytes = 0;
  for (const auto &block : blocks)
    if (block.instance == instance)
      bytes += block.bytes;
  return bytes;
}

Announcement announcementIn(const IncomingBlock &block) {
  Announcement announcement;
  std::memcpy(&announcement, block.data, sizeof(announcement));
  return announcement;
}

} // namespace

ExchangeStep::ExchangeStep(std::string stepName, std::uint64_t parameters)
    : name(std::move(stepName)), hash(mixed(contentHash(name), parameters)) {}

InstanceChannel::InstanceChannel(std::shared_ptr<InstanceLink> link,
                                 std::chrono::duration<double> timeout)
    : link_(std::move(link)), timeout_(timeout),
      announced_(numInstances() * kMessage), heard_(numInstances() * kMessage) {
}

std::string InstanceChannel::instance(unsigned index) const {
  return "instance " + std::to_string(link_->numberOf(index));
}

std::string
InstanceChannel::listOf(const std::vector<unsigned> &instances) const {
  std::string text = instances.size() == 1 ? "instance " : "instances ";
  for (std::size_t i = 0; i < instances.size(); ++i)
    text += (i ? ", " : "") + std::to_string(link_->numberOf(instances[i]));
  return text;
}

void InstanceChannel::decided(const std::string &name, std::int64_t value) {
  control_ = mixed(mixed(control_, contentHash(name)),
                   static_cast<std::uint64_t>(value));
  decisions_[numDecisions_++ % kDecisions] = {&name, value};
}

void InstanceChannel::exchange(const ExchangeStep &step,
                               const std::vector<OutgoingBlock> &outgoing,
                               std::vector<IncomingBlock> &incoming) {
  Announcement mine{sequence_++, step.hash, control_, numDecisions_, 0};

  std::vector<OutgoingBlock> &announcements = announcements_;
  std::vector<IncomingBlock> &heard = replies_;
  announcements.clear();
  heard.clear();
  std::vector<OutgoingBlock> largeOut;
  std::vector<IncomingBlock> largeIn;
  for (unsigned other = 0; other < numInstances(); ++other) {
    if (other == index())
      continue;
    char *const message = announced_.data() + other * kMessage;
    mine.bytes = bytesFor(other, outgoing);
    std::memcpy(message, &mine, sizeof(mine));
    std::size_t length = sizeof(mine);
    for (const OutgoingBlock &block : outgoing) {
      if (block.instance != other)
        continue;
      if (mine.bytes > kSmall) {
        largeOut.push_back(block);
      } else if (block.bytes) {
        std::memcpy(message + length, block.data, block.bytes);
        length += block.bytes;
      }
    }
    announcements.push_back({other, message, length});
    heard.push_back({other, heard_.data() + other * kMessage, kMessage});
  }
  transfer(step, Part::first, announcements, heard);
  compare(step, heard);

  for (const IncomingBlock &from : heard) {
    const Announcement theirs = announcementIn(from);
    const std::uint64_t expected = bytesFor(from.instance, incoming);
    if (theirs.bytes != expected)
      throw poplar::application_runtime_error(
          "the instances disagree at " + step.name + ": " +
          instance(from.instance) + " sends " + std::to_string(theirs.bytes) +
          " bytes, " + instance(index()) + " expects " +
          std::to_string(expected));
    const char *data = static_cast<const char *>(from.data) + sizeof(theirs);
    for (const IncomingBlock &block : incoming) {
      if (block.instance != from.instance)
        continue;
      if (expected > kSmall) {
        largeIn.push_back(block);
      } else if (block.bytes) {
        std::memcpy(block.data, data, block.bytes);
        data += block.bytes;
      }
    }
  }
  if (!largeOut.empty() || !largeIn.empty())
    transfer(step, Part::later, largeOut, largeIn);
}

void InstanceChannel::proceed(const ExchangeStep &step,
                              const std::vector<OutgoingBlock> &outgoing,
                              std::vector<IncomingBlock> &incoming) {
  transfer(step, Part::later, outgoing, incoming);
}

void InstanceChannel::transfer(const ExchangeStep &step, Part part,
                               const std::vector<OutgoingBlock> &outgoing,
                               std::vector<IncomingBlock> &incoming) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::duration<double> kForEver(1e9); // decades
  const auto deadline =
      timeout_.count() > 0 && timeout_ < kForEver
          ? Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout_)
          : Clock::time_point::max();
  const std::vector<unsigned> missing =
      link_->transfer(outgoing, incoming, deadline);
  if (missing.empty())
    return;
  std::string seconds = std::to_string(timeout_.count());
  seconds.erase(seconds.find_last_not_of('0') + 1);
  if (seconds.back() == '.')
    seconds.pop_back();
  throw poplar::system_runtime_error(
      instance(index()) + " is still waiting for host sync after " + seconds +
      " seconds (option target.hostSyncTimeout): " + listOf(missing) +
      (part == Part::first ? " did not come to " : " did not finish ") +
      step.name);
}

void InstanceChannel::compare(const ExchangeStep &step,
                              const std::vector<IncomingBlock> &heard) {
  for (const IncomingBlock &from : heard)
    if (from.bytes < sizeof(Announcement))
      throw poplar::system_runtime_error(
          instance(from.instance) +
          " sends what is not of this version of the engine");
  for (const IncomingBlock &from : heard)
    if (announcementIn(from).control != control_)
      explainDecisions(step, from.instance);
  for (const IncomingBlock &from : heard) {
    const Announcement theirs = announcementIn(from);
    if (theirs.step != step.hash || theirs.sequence + 1 != sequence_ ||
        theirs.control != control_)
      explainSteps(step, from.instance, theirs.sequence,
                   theirs.step != step.hash);
  }
}

std::vector<char> InstanceChannel::fromAll(const ExchangeStep &step,
                                           const std::vector<char> &own) {
  std::vector<char> all(numInstances() * own.size());
  std::vector<OutgoingBlock> outgoing;
  std::vector<IncomingBlock> incoming;
  for (unsigned i = 0; i < numInstances(); ++i)
    if (i != index()) {
      outgoing.push_back({i, own.data(), own.size()});
      incoming.push_back({i, all.data() + i * own.size(), own.size()});
    }
  transfer(step, Part::later, outgoing, incoming);
  return all;
}

// All instances come here together: if two are at different steps, every other
// differs from one of them.
void InstanceChannel::explainSteps(const ExchangeStep &step, unsigned other,
                                   std::uint64_t otherSequence,
                                   bool otherStep) {
  StepText text;
  copyText(step.name, text.name);
  const std::vector<char> own(text.name, text.name + sizeof(text.name));
  const std::vector<char> all = fromAll(step, own);
  std::memcpy(text.name, all.data() + other * own.size(), sizeof(text.name));
  text.name[sizeof(text.name) - 1] = 0;

  const auto place = [this](unsigned index, const std::string &name,
                            std::uint64_t sequence) {
    return instance(index) + " is at " + name + " (exchange " +
           std::to_string(sequence) + ")";
  };
  std::string message =
      "the instances disagree: " + place(index(), step.name, sequence_ - 1) +
      ", " + place(other, text.name, otherSequence);
  if (otherStep && step.name.compare(0, sizeof(text.name) - 1, text.name) == 0)
    message += ", with other operators, types or sizes";
  throw poplar::application_runtime_error(message);
}

std::vector<char> InstanceChannel::packDecisions() const {
  std::vector<char> packed(kDecisions * sizeof(DecisionText));
  for (std::size_t i = 0; i < kDecisions; ++i) {
    DecisionText text{};
    text.number = ~std::uint64_t(0);
    if (i < numDecisions_) {
      // Slot i has the last number that is equal to i modulo their count.
      text.number = i + (numDecisions_ - 1 - i) / kDecisions * kDecisions;
      text.value = decisions_[i].value;
      copyText(*decisions_[i].name, text.name);
    }
    std::memcpy(packed.data() + i * sizeof(text), &text, sizeof(text));
  }
  return packed;
}

// All instances come here together: if two have different decisions, every
// other differs from one of them.
void InstanceChannel::explainDecisions(const ExchangeStep &step,
                                       unsigned other) {
  const std::vector<char> own = packDecisions();
  const std::vector<char> all = fromAll(step, own);
  const auto decisionsIn = [&](const char *packed) {
    std::array<DecisionText, kDecisions> texts;
    std::memcpy(texts.data(), packed, own.size());
    return texts;
  };
  const auto mine = decisionsIn(own.data());
  const auto theirs = decisionsIn(all.data() + other * own.size());
  const DecisionText *first = nullptr, *twin = nullptr;
  for (const DecisionText &a : mine)
    for (const DecisionText &b : theirs)
      if (a.number == b.number && a.number != ~std::uint64_t(0) &&
          (a.value != b.value || std::strcmp(a.name, b.name) != 0) &&
          (!first || a.number < first->number)) {
        first = &a;
        twin = &b;
      }
  if (!first)
    return; // too long ago, or a program of its own: the steps say more
  const auto value = [this](unsigned index, const DecisionText &decision) {
    return "'" + std::string(decision.name) + "' is " +
           std::to_string(decision.value) + " in " + instance(index);
  };
  throw poplar::application_runtime_error(
      "control flow differs between instances, seen at " + step.name + ": " +
      value(index(), *first) + " and " + value(other, *twin) + " (decision " +
      std::to_string(first->number) + ")");
}

} // namespace ipumodel
