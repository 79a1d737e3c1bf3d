#include "outfeed/state_history.hpp"

#include <algorithm>
#include <utility>

namespace popscope::outfeed {

StateHistory::StateHistory(std::vector<Part> parts, std::size_t kept)
    : parts_(std::move(parts)), kept_(std::max<std::size_t>(1, kept)) {}

void StateHistory::save(poplar::Engine &engine, Update update) {
  // After a return to an earlier update, later states are of another past.
  while (!states_.empty() && !(states_.back().update < update))
    states_.pop_back();
  State state{update, {}};
  for (const Part &part : parts_) {
    std::vector<char> bytes(part.bytes);
    engine.readTensor(part.handle, bytes.data(), bytes.data() + bytes.size());
    state.parts.push_back(std::move(bytes));
  }
  states_.push_back(std::move(state));
  if (states_.size() > kept_)
    states_.pop_front();
}

std::optional<Update> StateHistory::restore(poplar::Engine &engine,
                                            Update update) const {
  const auto found =
      std::find_if(states_.rbegin(), states_.rend(), [&](const State &state) {
        return !(update < state.update);
      });
  if (found == states_.rend())
    return std::nullopt;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const std::vector<char> &bytes = found->parts[p];
    engine.writeTensor(parts_[p].handle, bytes.data(),
                       bytes.data() + bytes.size());
  }
  return found->update;
}

} // namespace popscope::outfeed
