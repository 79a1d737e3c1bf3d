// What is done to the tensors of a running program, by request.
#pragma once

#include "outfeed/control/control_request.hpp"
#include "outfeed/intervention.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace popscope::outfeed {

// Not for two threads at the same time.
class Interventions {
public:
  Interventions() = default; // none is possible
  // Of these tensors, in the order of the program. The noise of all of them
  // comes from one seed.
  Interventions(std::vector<TensorTraits> allowed, std::uint32_t seed);

  // From update `next` on. Returns what is done, in words. Throws
  // std::invalid_argument if a filter finds nothing that can be changed; `all`
  // are the tensors of the program. A name that is complete at several moments
  // is changed at the first of them that the filter matches.
  std::vector<std::string> ask(const ControlRequest &request, Update next,
                               const std::vector<TensorTraits> &all);
  // Before update `next`, the first: does again what an earlier start of the
  // program had done from there on. Throws std::invalid_argument if a tensor is
  // not allowed; nothing has changed then.
  void repeat(const std::vector<Intervention> &earlier, Update next);

  // At the top of an update: what begins again or is over, in words.
  std::vector<std::string> notesAt(Update update);
  // What the device is told about each allowed tensor at this update.
  std::vector<InterventionWords> wordsAt(Update update) const;

  std::vector<InterventionStatus> status(Update next) const;
  // Those that have begun before `next` or were to be repeated, in the order in
  // which they were asked for.
  std::vector<Intervention> history(Update next) const;

private:
  struct Entry {
    Intervention what;
    std::size_t place; // of the tensor among those allowed, or kNowhere
    bool isRepeated = false;
    bool isCut = false; // by a later request
  };
  static constexpr std::size_t kNowhere = std::size_t(-1);
  using Places = std::vector<std::size_t>;

  Places select(const std::string &filter,
                const std::vector<TensorTraits> &all) const;
  // Ends what is done to the tensor from this update on.
  bool end(std::size_t place, Update from);
  const Entry *entryAt(std::size_t place, Update update) const;
  std::string tagsOf(const Places &places) const;

  std::vector<TensorTraits> allowed_;
  std::uint32_t seed_ = 0;
  std::vector<Entry> entries_; // at most one of a tensor at any update
  bool hasBegun_ = false;
};

} // namespace popscope::outfeed
