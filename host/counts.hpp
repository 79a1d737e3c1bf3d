// What a training counts, each with a type of its own, so that mixing two of
// them does not compile.
#pragma once

#include <cstdint>

namespace popscope::host {

// One epoch. The screen and the options number epochs from 1; log.csv and
// TensorBoard's axis from 0, as Keras does.
class Epoch {
public:
  constexpr explicit Epoch(unsigned index) : index_(index) {}
  constexpr unsigned index() const { return index_; }      // from 0
  constexpr unsigned number() const { return index_ + 1; } // from 1

  friend constexpr bool operator==(Epoch a, Epoch b) {
    return a.index_ == b.index_;
  }
  friend constexpr bool operator!=(Epoch a, Epoch b) { return !(a == b); }

private:
  unsigned index_;
};

// Batches that each replica trains on. Taps count updates: outfeed::Update.
class Batches {
public:
  constexpr Batches() = default;
  constexpr explicit Batches(std::uint64_t value) : value_(value) {}
  constexpr std::uint64_t value() const { return value_; }

  constexpr Batches &operator+=(Batches other) {
    value_ += other.value_;
    return *this;
  }
  friend constexpr Batches operator+(Batches a, Batches b) { return a += b; }
  friend constexpr Batches operator-(Batches a, Batches b) {
    return Batches(a.value_ - b.value_);
  }
  friend constexpr bool operator==(Batches a, Batches b) {
    return a.value_ == b.value_;
  }
  friend constexpr bool operator!=(Batches a, Batches b) { return !(a == b); }
  friend constexpr bool operator<(Batches a, Batches b) {
    return a.value_ < b.value_;
  }

private:
  std::uint64_t value_ = 0;
};

} // namespace popscope::host
