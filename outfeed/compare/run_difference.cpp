#include "outfeed/compare/run_difference.hpp"

#include <algorithm>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace popscope::outfeed {

namespace {

// "conv_0_acts: float [3,3] and half [4,4]"
std::string whyNot(const LoggedTensor &a, const LoggedTensor &b) {
  const auto text = [](const LoggedTensor &tensor) {
    std::string shape;
    for (const std::size_t dimension : tensor.shape)
      shape += (shape.empty() ? "" : ",") + std::to_string(dimension);
    return "[" + shape + "]";
  };
  return a.tag + ": its shape is " + text(a) + " in A and " + text(b) + " in B";
}

// What a tensor is called in both runs. The gradient of an update, which one
// replica has when it is accumulated, several have when it is reduced.
std::string keyOf(const LoggedTensor &tensor, const SampleDigest *digest) {
  using graph::TapMoment;
  constexpr std::string_view kReduced = "_reduced";
  if (tensor.origin)
    return tensor.tag;
  if (tensor.at == nameOf(TapMoment::reduced) &&
      tensor.tag.size() > kReduced.size())
    return tensor.tag.substr(0, tensor.tag.size() - kReduced.size());
  const bool isOfReplicas = tensor.at == nameOf(TapMoment::accumulated) &&
                            digest && digest->parts > 1;
  return isOfReplicas ? tensor.tag + " of each replica" : tensor.tag;
}

class Comparison {
public:
  Comparison(SampleLogReader &a, SampleLogReader &b, double tolerance)
      : a_{a}, b_{b}, tolerance_(tolerance) {}

  RunDifference run() {
    bool hasA = next(a_, result_.a), hasB = next(b_, result_.b);
    while (hasA || hasB) {
      const bool isOnlyA =
          hasA && (!hasB || a_.reader.update() < b_.reader.update());
      const bool isOnlyB = hasB && !isOnlyA &&
                           (!hasA || b_.reader.update() < a_.reader.update());
      if (isOnlyA)
        countOnly(a_, result_.a);
      else if (isOnlyB)
        countOnly(b_, result_.b);
      else
        compareUpdate();
      hasA = isOnlyB ? hasA : next(a_, result_.a);
      hasB = isOnlyA ? hasB : next(b_, result_.b);
    }
    finish();
    return std::move(result_);
  }

private:
  static constexpr std::size_t kNoPair = ~std::size_t(0);
  struct Side {
    SampleLogReader &reader;
    std::unordered_map<std::string, std::size_t> numbers{}; // by key
    std::vector<std::size_t> pairs{}; // by number of the tensor
  };
  struct Pair {
    std::size_t a, b; // numbers of the tensor in the logs
    TensorDifference difference;
  };

  bool next(Side &side, ComparedLog &log) {
    if (!side.reader.next())
      return false;
    ++log.updates;
    const std::vector<LoggedTensor> &tensors = side.reader.tensors();
    while (side.pairs.size() < tensors.size()) {
      const std::size_t number = side.pairs.size();
      side.pairs.push_back(kNoPair);
      pairUp(side, number, keyOf(tensors[number], side.reader.digest(number)));
    }
    for (std::size_t i = 0; i < side.pairs.size(); ++i)
      log.samples += side.reader.digest(i) != nullptr;
    return true;
  }

  void pairUp(Side &side, std::size_t number, const std::string &key) {
    Side &other = &side == &a_ ? b_ : a_;
    side.numbers.emplace(key, number);
    const auto found = other.numbers.find(key);
    if (found == other.numbers.end())
      return;
    side.pairs[number] = other.pairs[found->second] = pairs_.size();
    Pair pair{number, found->second, {}};
    if (&side == &b_)
      std::swap(pair.a, pair.b);
    pair.difference.a = a_.reader.tensors()[pair.a];
    pair.difference.b = b_.reader.tensors()[pair.b];
    pairs_.push_back(std::move(pair));
  }

  // The current update of one log, which the other has not.
  void countOnly(Side &side, ComparedLog &log) {
    ++log.onlyHere;
    log.lastOnlyHere = side.reader.update();
    if (!log.firstOnlyHere)
      log.firstOnlyHere = log.lastOnlyHere;
    for (std::size_t i = 0; i < side.pairs.size(); ++i)
      if (side.pairs[i] != kNoPair && side.reader.digest(i)) {
        TensorDifference &tensor = pairs_[side.pairs[i]].difference;
        ++(&side == &a_ ? tensor.onlyInA : tensor.onlyInB);
      }
  }

  void compareUpdate() {
    const Update update = a_.reader.update();
    if (result_.commonUpdates++ == 0)
      result_.firstUpdate = update;
    result_.lastUpdate = update;
    while (cellOf(update) >= kMostCells)
      joinCells();
    for (Pair &pair : pairs_) {
      TensorDifference &tensor = pair.difference;
      const SampleDigest *const a = a_.reader.digest(pair.a);
      const SampleDigest *const b = b_.reader.digest(pair.b);
      tensor.onlyInA += a && !b;
      tensor.onlyInB += b && !a;
      if (a && b && tensor.a.shape == tensor.b.shape)
        take(tensor, {update, compare(*a, *b)});
    }
  }

  void take(TensorDifference &tensor, const DifferenceAt &at) {
    const SampleDifference &difference = at.difference;
    const std::size_t cell = cellOf(at.update);
    tensor.cells.resize(std::max(tensor.cells.size(), cell + 1), kNotCompared);
    ++tensor.compared;
    tensor.proven += difference.isProvenSame();
    tensor.byStatistics += difference.evidence == Evidence::statistics;
    const bool differs =
        !difference.isSame &&
        (tolerance_ == 0 || difference.relativeL2 > tolerance_);
    // A difference of which no more is known than that there is one is shown.
    constexpr float kSomething = 1e-12f;
    const float shown =
        differs ? std::max(float(difference.relativeL2), kSomething) : 0;
    tensor.cells[cell] = std::max(tensor.cells[cell], shown);
    if (!difference.isSame &&
        (!tensor.largest ||
         difference.relativeL2 > tensor.largest->difference.relativeL2))
      tensor.largest = at;
    if (!differs)
      return;
    ++tensor.differing;
    if (!tensor.first)
      tensor.first = at;
  }

  std::size_t cellOf(Update update) const {
    return (update.value() - result_.firstUpdate.value()) /
           result_.updatesPerCell;
  }

  void joinCells() {
    result_.updatesPerCell *= 2;
    for (Pair &pair : pairs_) {
      std::vector<float> &cells = pair.difference.cells;
      for (std::size_t i = 0; i < cells.size(); ++i)
        cells[i / 2] = i % 2 == 0 ? cells[i] : std::max(cells[i / 2], cells[i]);
      cells.resize((cells.size() + 1) / 2);
    }
  }

  static void listOnly(const Side &side, ComparedLog &log) {
    std::vector<const LoggedTensor *> only;
    for (std::size_t i = 0; i < side.pairs.size(); ++i)
      if (side.pairs[i] == kNoPair)
        only.push_back(&side.reader.tensors()[i]);
    std::sort(only.begin(), only.end(),
              [](const auto *a, const auto *b) { return isBefore(*a, *b); });
    for (const LoggedTensor *tensor : only)
      log.tensorsOnlyHere.push_back(tensor->tag);
    log.flaw = side.reader.flaw();
  }

  void finish() {
    listOnly(a_, result_.a);
    listOnly(b_, result_.b);
    std::sort(pairs_.begin(), pairs_.end(), [](const Pair &a, const Pair &b) {
      return isBefore(a.difference.a, b.difference.a);
    });
    for (Pair &pair : pairs_) {
      const TensorDifference &tensor = pair.difference;
      if (tensor.a.shape == tensor.b.shape)
        result_.tensors.push_back(std::move(pair.difference));
      else
        result_.notComparable.push_back(whyNot(tensor.a, tensor.b));
    }
    for (std::size_t i = 0; i < result_.tensors.size(); ++i) {
      const auto &candidate = result_.tensors[i].first;
      if (candidate &&
          (!result_.first ||
           candidate->update < result_.tensors[*result_.first].first->update))
        result_.first = i;
    }
  }

  Side a_, b_;
  const double tolerance_;
  std::deque<Pair> pairs_;
  RunDifference result_;
};

template <class Count>
std::uint64_t sum(const RunDifference &runs, Count count) {
  std::uint64_t total = 0;
  for (const TensorDifference &tensor : runs.tensors)
    total += tensor.*count;
  return total;
}

} // namespace

std::uint64_t RunDifference::comparisons() const {
  return sum(*this, &TensorDifference::compared);
}

std::uint64_t RunDifference::differing() const {
  return sum(*this, &TensorDifference::differing);
}

bool RunDifference::isProvenSame() const {
  return comparisons() != 0 &&
         sum(*this, &TensorDifference::proven) == comparisons();
}

RunDifference compareRuns(SampleLogReader &a, SampleLogReader &b,
                          double tolerance) {
  return Comparison(a, b, tolerance).run();
}

} // namespace popscope::outfeed
