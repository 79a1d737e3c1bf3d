#include "popdist/communicators.hpp"
#include "poplar/base/content_hash.hpp"
#include "poplar/values/half.hpp"
#include "poplar/values/type_info.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <popdist/collectives.hpp>

namespace popdist {

namespace {

using namespace ipumodel;

// What all participants must do alike.
ExchangeStep stepOf(const char *function, const std::string &id,
                    std::size_t count, const poplar::Type &type,
                    unsigned root = 0) {
  std::string name = std::string("popdist::collectives::") + function + " '" +
                     id + "' of " + std::to_string(count) + ' ' +
                     type.toString().cloneAsString();
  if (root)
    name += " from " + std::to_string(root);
  return ExchangeStep(name);
}

// One call at a time on a communicator, and its errors as popdist's.
template <class Body> void on(const std::string &id, Body &&body) {
  Communicator &all = communicator(id);
  const std::lock_guard<std::mutex> lock(all.mutex);
  try {
    body(all.channel);
  } catch (const poplar::poplar_error &error) {
    throw popdist_error(error.what());
  }
}

template <class T, class Sum>
void addRows(const std::vector<const char *> &rows, std::size_t count,
             char *to) {
  constexpr std::size_t kBlock = 1024;
  Sum sums[kBlock];
  for (std::size_t first = 0; first < count; first += kBlock) {
    const std::size_t size = std::min(kBlock, count - first);
    std::fill(sums, sums + size, Sum(0));
    for (std::size_t row = 0; row < rows.size(); ++row)
      for (std::size_t i = 0; i < size; ++i) {
        T value;
        std::memcpy(&value, rows[row] + (first + i) * sizeof(T), sizeof(T));
        const Sum summand = static_cast<Sum>(value);
        sums[i] = row == 0 ? summand : static_cast<Sum>(sums[i] + summand);
      }
    for (std::size_t i = 0; i < size; ++i) {
      const T value = static_cast<T>(sums[i]);
      std::memcpy(to + (first + i) * sizeof(T), &value, sizeof(T));
    }
  }
}

struct Half { // as it is stored
  std::uint16_t bits;
  Half() = default;
  explicit Half(float value) : bits(ipumodel::floatToHalf(value)) {}
  explicit operator float() const { return ipumodel::halfToFloat(bits); }
};

using AddRows = void (*)(const std::vector<const char *> &, std::size_t,
                         char *);

// Integers are added without a sign, so that they wrap around.
AddRows addRowsOf(const poplar::Type &type) {
  const ipumodel::TypeInfo &info = ipumodel::infoOf(type);
  if (type == poplar::HALF)
    return addRows<Half, float>;
  if (type == poplar::FLOAT)
    return addRows<float, float>;
  if (info.isIntegral && type != poplar::BOOL &&
      ipumodel::codeOf(type) != TypeCode::quarterMetadata)
    switch (info.size) {
    case 1:
      return addRows<std::uint8_t, std::uint64_t>;
    case 2:
      return addRows<std::uint16_t, std::uint64_t>;
    case 4:
      return addRows<std::uint32_t, std::uint64_t>;
    case 8:
      return addRows<std::uint64_t, std::uint64_t>;
    }
  throw popdist_error("allReduceSum: " + type.toString().cloneAsString() +
                      " cannot be added");
}

} // namespace

namespace collectives {

void broadcast(void *data, std::size_t count, const poplar::Type &type,
               unsigned root, const std::string &id) {
  const std::size_t bytes = count * ipumodel::sizeOf(type);
  on(id, [&](InstanceChannel &channel) {
    if (root >= channel.numInstances())
      throw popdist_error("broadcast '" + id + "': there is no participant " +
                          std::to_string(root));
    std::vector<OutgoingBlock> outgoing;
    std::vector<IncomingBlock> incoming;
    if (channel.index() != root)
      incoming.push_back({root, data, bytes});
    else
      for (unsigned i = 0; i < channel.numInstances(); ++i)
        if (i != root)
          outgoing.push_back({i, data, bytes});
    channel.exchange(stepOf("broadcast", id, count, type, root), outgoing,
                     incoming);
  });
}

// Each participant adds a share of the elements, then sends it to all.
void allReduceSum(void *data, std::size_t count, const poplar::Type &type,
                  const std::string &id) {
  const AddRows add = addRowsOf(type);
  const std::size_t size = ipumodel::sizeOf(type);
  on(id, [&](InstanceChannel &channel) {
    const unsigned all = channel.numInstances(), here = channel.index();
    const bool isShared = count * size > InstanceChannel::kSmall;
    const auto begin = [&](std::size_t i) {
      return isShared ? count * i / all * size : 0;
    };
    const auto bytes = [&](std::size_t i) {
      return isShared ? begin(i + 1) - begin(i) : count * size;
    };
    char *const own = static_cast<char *>(data);
    const std::unique_ptr<char[]> fetched(new char[all * bytes(here)]);
    std::vector<const char *> rows;
    std::vector<OutgoingBlock> outgoing;
    std::vector<IncomingBlock> incoming;
    for (unsigned i = 0; i < all; ++i) {
      char *const to = fetched.get() + i * bytes(here);
      rows.push_back(i == here ? own + begin(here) : to);
      if (i == here)
        continue;
      outgoing.push_back({i, own + begin(i), bytes(i)});
      incoming.push_back({i, to, bytes(here)});
    }
    const ExchangeStep step = stepOf("allReduceSum", id, count, type);
    channel.exchange(step, outgoing, incoming);
    add(rows, bytes(here) / size, own + begin(here));
    if (!isShared)
      return;
    outgoing.clear();
    incoming.clear();
    for (unsigned i = 0; i < all; ++i)
      if (i != here) {
        outgoing.push_back({i, own + begin(here), bytes(here)});
        incoming.push_back({i, own + begin(i), bytes(i)});
      }
    channel.proceed(step, outgoing, incoming);
  });
}

void allGather(const void *input, void *output, std::size_t count,
               const poplar::Type &type, const std::string &id, bool inplace) {
  const std::size_t bytes = count * ipumodel::sizeOf(type);
  on(id, [&](InstanceChannel &channel) {
    char *const all = static_cast<char *>(output);
    char *const own = all + channel.index() * bytes;
    if (!inplace && bytes)
      std::memmove(own, input, bytes);
    std::vector<OutgoingBlock> outgoing;
    std::vector<IncomingBlock> incoming;
    for (unsigned i = 0; i < channel.numInstances(); ++i)
      if (i != channel.index()) {
        outgoing.push_back({i, own, bytes});
        incoming.push_back({i, all + i * bytes, bytes});
      }
    channel.exchange(stepOf("allGather", id, count, type), outgoing, incoming);
  });
}

} // namespace collectives
} // namespace popdist
