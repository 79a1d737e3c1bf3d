#include "outfeed/frames/frame_exchange.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

namespace popscope::outfeed {

namespace {

// What travels before the bytes of a frame. All instances are the same program,
// so structs travel as they are.
struct Label {
  std::uint64_t number, bytes;
  std::uint32_t source, replica, update, isSummary;
};

template <class T> void append(std::string &to, const T &value) {
  to.append(reinterpret_cast<const char *>(&value), sizeof value);
}

template <class T> T take(const char *&from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  from += sizeof value;
  return value;
}

} // namespace

void FrameExchange::exchange(const FrameCounts &here,
                             const std::function<void(const Frame &)> &give) {
  std::string message;
  if (!instances_.slice().isFirst()) {
    append(message, here);
    for (const auto &[frame, update] : std::exchange(held_, {})) {
      append(message, Label{frame.origin.number, frame.bytes.size(),
                            frame.origin.source, frame.origin.replica,
                            update.value(), std::uint32_t(frame.isSummary)});
      message.append(reinterpret_cast<const char *>(frame.bytes.data()),
                     frame.bytes.size());
    }
  }
  const std::vector<std::string> all = instances_.gather(message, "frames");
  if (all.empty())
    return;
  elsewhere_ = {};
  for (std::size_t i = 1; i < all.size(); ++i) {
    const char *at = all[i].data();
    const char *const end = at + all[i].size();
    elsewhere_.add(take<FrameCounts>(at));
    while (at != end) {
      const auto label = take<Label>(at);
      const auto *const bytes = reinterpret_cast<const std::byte *>(at);
      at += label.bytes;
      hold({{label.source, label.replica, label.number},
            {bytes, bytes + label.bytes},
            label.isSummary != 0},
           Update(label.update));
    }
  }
  std::stable_sort(
      held_.begin(), held_.end(), [](const Held &a, const Held &b) {
        return std::tuple(a.update.value(), a.frame.origin.replica) <
               std::tuple(b.update.value(), b.frame.origin.replica);
      });
  for (const Held &held : std::exchange(held_, {}))
    give(held.frame);
}

} // namespace popscope::outfeed
