#include "popnn/channel_ops.hpp"

// A window has few elements, so the cost of calls would matter.
#define POPNN_INLINE HWY_ATTR __attribute__((always_inline))

// Vectors of unknown size cannot be stored in arrays.
#define HWY_DISABLED_TARGETS                                                   \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "popnn/channel_ops.cpp"
#include <algorithm>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace ipumodel {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;

template <std::size_t N> using Count = std::integral_constant<std::size_t, N>;

// A few adjacent vectors of channels. A result needs one operation after the
// other over its window; with several results, these overlap in time.
template <class Tag, std::size_t N> struct Vectors {
  hn::Vec<Tag> each[N];

  using T = hn::TFromD<Tag>;

  static HWY_INLINE Vectors all(Tag d, T value) {
    return made([&](std::size_t) HWY_ATTR { return hn::Set(d, value); });
  }
  static HWY_INLINE Vectors load(Tag d, const T *from) {
    return made([&](std::size_t i)
                    HWY_ATTR { return hn::LoadU(d, from + i * hn::Lanes(d)); });
  }
  HWY_INLINE void store(Tag d, T *to) const {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < N; ++i)
      hn::StoreU(each[i], d, to + i * hn::Lanes(d));
  }
  // The results of f for each vector index.
  template <class F> static HWY_INLINE Vectors made(F &&f) {
    Vectors result;
#pragma GCC unroll 4
    for (std::size_t i = 0; i < N; ++i)
      result.each[i] = f(i);
    return result;
  }
};

// Calls f(tag, number, offset) for groups of `number` vectors, then for single
// elements.
template <class F> HWY_INLINE void forVectors(std::size_t n, F &&f) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes)
    f(d, Count<4>(), i);
  for (; i + 2 * lanes <= n; i += 2 * lanes)
    f(d, Count<2>(), i);
  for (; i + lanes <= n; i += lanes)
    f(d, Count<1>(), i);
  const hn::CappedTag<float, 1> one;
  for (; i < n; ++i)
    f(one, Count<1>(), i);
}

// Calls f(tag, number, result, element) for the channels of every window, with
// the offsets of the result and of the window's first element.
template <class F> HWY_INLINE void forWindows(const WindowRow &row, F &&f) {
  for (std::size_t w = 0; w < row.count; ++w)
    forVectors(row.channels,
               [&](auto d, auto number, std::size_t c) POPNN_INLINE {
                 f(d, number, w * row.channels + c, w * row.inStep + c);
               });
}

// Calls f(offset) for the first element of every line of a window.
template <class F> HWY_INLINE void forLines(const Window &window, F &&f) {
  for (std::size_t i = 0; i < window.depth; ++i)
    for (std::size_t j = 0; j < window.height; ++j)
      f(i * window.depthStep + j * window.rowStep);
}

template <class F>
HWY_INLINE void forElements(const Window &window, std::size_t channels, F &&f) {
  forLines(window, [&](std::size_t at) POPNN_INLINE {
    for (std::size_t k = 0; k < window.width; ++k, at += channels)
      f(at);
  });
}

template <class Several>
HWY_INLINE Several larger(const Several &x, const Several &than) {
  return Several::made([&](std::size_t i) HWY_ATTR {
    return hn::IfThenElse(hn::Gt(x.each[i], than.each[i]), x.each[i],
                          than.each[i]);
  });
}

void maxWindows(const WindowRow &row, const float *in, float lowest,
                float *out) {
  forWindows(row, [&](auto d, auto number, std::size_t to,
                      std::size_t from) POPNN_INLINE {
    using Several = Vectors<decltype(d), number()>;
    auto largest = Several::all(d, lowest);
    forElements(row.window, row.channels, [&](std::size_t at) HWY_ATTR {
      largest = larger(Several::load(d, in + from + at), largest);
    });
    largest.store(d, out + to);
  });
}

// The position of `value` in a line, whose first element is `line` floats from
// the window's first.
Place placeInLine(const float *in, std::size_t line, const WindowRow &row,
                  float value) {
  Place place = kNoPlace;
  for (std::size_t k = 0, at = line; k < row.window.width;
       ++k, at += row.channels)
    if (in[at] == value)
      place = place == kNoPlace ? static_cast<Place>(at + 1) : kManyPlaces;
  return place;
}

void maxWindowsAndPlaces(const WindowRow &row, const float *in, float lowest,
                         float *out, Place *places) {
  forWindows(row, [&](auto d, auto number, std::size_t to,
                      std::size_t from) POPNN_INLINE {
    using Several = Vectors<decltype(d), number()>;
    const hn::RebindToSigned<decltype(d)> di;
    using Lines = Vectors<decltype(di), number()>;
    // Finds the line with the maximum first, then its position in the line.
    auto largest = Several::all(d, lowest);
    auto lines = Lines::all(di, kNoPlace);
    forLines(row.window, [&](std::size_t line) HWY_ATTR {
      auto most = Several::all(d, lowest);
      for (std::size_t k = 0, at = line; k < row.window.width;
           ++k, at += row.channels)
        most = larger(Several::load(d, in + from + at), most);
      const auto here = hn::Set(di, static_cast<Place>(line + 1));
      lines = Lines::made([&](std::size_t i) HWY_ATTR {
        const auto isLarger = hn::Gt(most.each[i], largest.each[i]);
        const auto isEqual = hn::Eq(most.each[i], largest.each[i]);
        return hn::IfThenElse(
            hn::RebindMask(di, isLarger), here,
            hn::IfThenZeroElse(hn::RebindMask(di, isEqual), lines.each[i]));
      });
      largest = larger(most, largest);
    });
    largest.store(d, out + to);
    lines.store(di, places + to);
    for (std::size_t i = 0; i < number() * hn::Lanes(d); ++i)
      if (Place &place = places[to + i]; place > 0)
        place = placeInLine(in + from + i, static_cast<std::size_t>(place - 1),
                            row, out[to + i]);
  });
}

void sumWindows(const WindowRow &row, const float *in, float factor,
                float *out) {
  forWindows(row, [&](auto d, auto number, std::size_t to,
                      std::size_t from) POPNN_INLINE {
    using Several = Vectors<decltype(d), number()>;
    const auto scale = hn::Set(d, factor);
    auto sum = Several::all(d, 0);
    forElements(row.window, row.channels, [&](std::size_t at) HWY_ATTR {
      const auto x = Several::load(d, in + from + at);
      sum = Several::made([&](std::size_t i) HWY_ATTR {
        return hn::MulAdd(scale, x.each[i], sum.each[i]);
      });
    });
    sum.store(d, out + to);
  });
}

// Does the work of spreadToMaxima for some channels of a window.
template <class Tag, class Number>
HWY_INLINE void spreadInWindow(const WindowRow &row, Tag d, Number,
                               const float *in, const float *pooled,
                               const float *gradient, SpreadMode mode,
                               float *to) {
  using Several = Vectors<Tag, Number::value>;
  const auto maximum = Several::load(d, pooled);
  auto share = Several::load(d, gradient);
  if (mode.shareTies) {
    auto ties = Several::all(d, 0);
    forElements(row.window, row.channels, [&](std::size_t at) HWY_ATTR {
      const auto x = Several::load(d, in + at);
      ties = Several::made([&](std::size_t i) HWY_ATTR {
        const auto equal = hn::Eq(x.each[i], maximum.each[i]);
        return hn::Add(ties.each[i],
                       hn::IfThenElseZero(equal, hn::Set(d, 1.0f)));
      });
    });
    share = Several::made([&](std::size_t i) HWY_ATTR {
      return hn::Div(share.each[i], ties.each[i]);
    });
  }
  if (mode.positiveOnly)
    share = Several::made([&](std::size_t i) HWY_ATTR {
      return hn::IfThenElseZero(hn::Gt(maximum.each[i], hn::Zero(d)),
                                share.each[i]);
    });
  forElements(row.window, row.channels, [&](std::size_t at) HWY_ATTR {
    const auto x = Several::load(d, in + at);
    auto gained = Several::made([&](std::size_t i) HWY_ATTR {
      return hn::IfThenElseZero(hn::Eq(x.each[i], maximum.each[i]),
                                share.each[i]);
    });
    if (mode.overlap) {
      const auto before = Several::load(d, to + at);
      gained = Several::made([&](std::size_t i) HWY_ATTR {
        return hn::Add(before.each[i], gained.each[i]);
      });
    }
    gained.store(d, to + at);
  });
}

void spreadToMaxima(const WindowRow &row, const float *in, const float *pooled,
                    const float *gradient, SpreadMode mode, float *to) {
  forWindows(row, [&](auto d, auto number, std::size_t result,
                      std::size_t from) POPNN_INLINE {
    spreadInWindow(row, d, number, in + from, pooled + result,
                   gradient + result, mode, to + from);
  });
}

void spreadToPlaces(const WindowRow &row, const Place *places, const float *in,
                    const float *pooled, const float *gradient, SpreadMode mode,
                    float *to) {
  forWindows(row, [&](auto d, auto number, std::size_t result,
                      std::size_t from) POPNN_INLINE {
    const Place *place = places + result;
    const std::size_t count = number() * hn::Lanes(d);
    if (std::find(place, place + count, kManyPlaces) != place + count) {
      spreadInWindow(row, d, number, in + from, pooled + result,
                     gradient + result, mode, to + from);
      return;
    }
    for (std::size_t i = 0; i < count; ++i)
      if (place[i] != kNoPlace &&
          (!mode.positiveOnly || pooled[result + i] > 0)) {
        float &gained = to[from + static_cast<std::size_t>(place[i] - 1) + i];
        const float share = gradient[result + i];
        gained = mode.overlap ? gained + share : share;
      }
  });
}

void spreadEvenly(const WindowRow &row, const float *gradient, float factor,
                  float *to) {
  forWindows(row, [&](auto d, auto number, std::size_t result,
                      std::size_t from) POPNN_INLINE {
    using Several = Vectors<decltype(d), number()>;
    const auto scale = hn::Set(d, factor);
    const auto share = Several::load(d, gradient + result);
    forElements(row.window, row.channels, [&](std::size_t at) HWY_ATTR {
      const auto before = Several::load(d, to + from + at);
      Several::made([&](std::size_t i) HWY_ATTR {
        return hn::MulAdd(scale, share.each[i], before.each[i]);
      }).store(d, to + from + at);
    });
  });
}

} // namespace HWY_NAMESPACE
} // namespace ipumodel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ipumodel {

HWY_EXPORT(maxWindows);
HWY_EXPORT(maxWindowsAndPlaces);
HWY_EXPORT(sumWindows);
HWY_EXPORT(spreadToMaxima);
HWY_EXPORT(spreadToPlaces);
HWY_EXPORT(spreadEvenly);

void maxWindows(const WindowRow &row, const float *in, float lowest,
                float *out) {
  HWY_DYNAMIC_DISPATCH(maxWindows)(row, in, lowest, out);
}
void maxWindowsAndPlaces(const WindowRow &row, const float *in, float lowest,
                         float *out, Place *places) {
  HWY_DYNAMIC_DISPATCH(maxWindowsAndPlaces)(row, in, lowest, out, places);
}
void sumWindows(const WindowRow &row, const float *in, float factor,
                float *out) {
  HWY_DYNAMIC_DISPATCH(sumWindows)(row, in, factor, out);
}
void spreadToMaxima(const WindowRow &row, const float *in, const float *pooled,
                    const float *gradient, SpreadMode mode, float *to) {
  HWY_DYNAMIC_DISPATCH(spreadToMaxima)
  (row, in, pooled, gradient, mode, to);
}
void spreadToPlaces(const WindowRow &row, const Place *places, const float *in,
                    const float *pooled, const float *gradient, SpreadMode mode,
                    float *to) {
  HWY_DYNAMIC_DISPATCH(spreadToPlaces)
  (row, places, in, pooled, gradient, mode, to);
}
void spreadEvenly(const WindowRow &row, const float *gradient, float factor,
                  float *to) {
  HWY_DYNAMIC_DISPATCH(spreadEvenly)(row, gradient, factor, to);
}

} // namespace ipumodel
#endif
