// Which operations can pass over the items of a batch together, as far as their
// tensors decide.
#pragma once

#include "poplar/plan/fusion/chain.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace ipumodel {

// The first variable that two operations use so that one must wait for all
// items of the other; empty if there is none. A stage may use the results of
// earlier stages for the same item. Any other element they share must only be
// read.
std::optional<VariableId> clashOf(const ChainLink &before,
                                  const ChainLink &next);

// What the links of a chain use of a variable, as far as it decides what may
// follow them.
class VariableUses {
public:
  void add(std::size_t link, const StageOperands::Item &item) {
    const bool writes = item.access != Access::read;
    addPlace(used_, {link, item.offset, item.bytes});
    if (writes)
      addPlace(written_, {link, item.offset, item.bytes});
  }
  void addWhole(std::size_t link, const StageOperands::Whole &whole) {
    wholeUsed_ = std::min(wholeUsed_, link);
    if (whole.access != Access::read || whole.isLate)
      wholeKept_ = std::min(wholeKept_, link);
    if (whole.access != Access::read)
      wholeWritten_ = std::min(wholeWritten_, link);
  }

  // The first link that the next one clashes with, see clashOf(); kNone if
  // there is none.
  static constexpr std::size_t kNone = ~std::size_t(0);
  std::size_t clashWith(const StageOperands::Item &item) const {
    const bool writes = item.access != Access::read;
    std::size_t first = writes ? wholeUsed_ : wholeWritten_;
    for (const Place &place : writes ? used_ : written_)
      if (place.offset != item.offset || place.bytes != item.bytes)
        first = std::min(first, place.link);
    return first;
  }
  std::size_t clashWithWhole(const StageOperands::Whole &whole) const {
    const bool writes = whole.access != Access::read;
    const Places &places = writes ? used_ : written_;
    const std::size_t first = !writes        ? wholeWritten_
                              : whole.isLate ? wholeKept_
                                             : wholeUsed_;
    return std::min(first, places.empty() ? kNone : places[0].link);
  }

  bool areWritten() const {
    return wholeWritten_ != kNone || !written_.empty();
  }

private:
  struct Place {
    std::size_t link, offset, bytes;
  };
  using Places = SmallVector<Place, 2>;

  // Of any items, one of the first two places differs from that of the next.
  static void addPlace(Places &places, const Place &place) {
    if (places.size() < 2 &&
        (places.empty() || places[0].offset != place.offset ||
         places[0].bytes != place.bytes))
      places.push_back(place);
  }

  Places used_, written_; // the first items, of different places
  // The first links; wholeKept_ is that which needs it after the items.
  std::size_t wholeUsed_ = kNone, wholeKept_ = kNone, wholeWritten_ = kNone;
};

} // namespace ipumodel
