#include "outfeed/frames/frame_shares.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace popscope::outfeed {

std::vector<FrameShares::Set> FrameShares::add(const Frame &frame,
                                               unsigned execution) {
  std::deque<Set> &open = open_[frame.origin.source];
  auto set = std::find_if(open.begin(), open.end(), [&](const Set &other) {
    return other.execution >= execution;
  });
  if (set == open.end() || set->execution != execution)
    set = open.insert(set, {frame.origin.source, execution, replicas_,
                            std::vector<std::vector<std::byte>>(replicas_)});
  std::vector<std::byte> &share = set->bytes[frame.origin.replica];
  set->missing -= share.empty();
  share = frame.bytes;
  const auto ready = set->missing == 0         ? std::next(set)
                     : open.size() > kMostOpen ? std::next(open.begin())
                                               : open.begin();
  std::vector<Set> taken(std::make_move_iterator(open.begin()),
                         std::make_move_iterator(ready));
  open.erase(open.begin(), ready);
  return taken;
}

std::vector<FrameShares::Set> FrameShares::takeAll() {
  std::vector<Set> taken;
  for (auto &[source, open] : std::exchange(open_, {}))
    std::move(open.begin(), open.end(), std::back_inserter(taken));
  return taken;
}

} // namespace popscope::outfeed
