// Long, because loops over windows share what is compiled for each instruction
// set.
#include "popnn/channel_ops.hpp"

// A window has few elements, so the cost of calls would matter.
#define POPNN_INLINE HWY_ATTR __attribute__((always_inline))

// Vectors of unknown size cannot be stored in arrays.
#define HWY_DISABLED_TARGETS                                                   \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "popnn/channel_ops.cpp"
#include <algorithm>
#include <cstring>
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

// Calls f(tag, number, window, channel) for the channels of every window: those
// of one vector of all windows before the next, so that the loop over windows
// has little to count.
template <class F>
HWY_INLINE void forWindowChannels(const WindowRow &row, F &&f) {
  forVectors(row.channels,
             [&](auto d, auto number, std::size_t c) POPNN_INLINE {
               for (std::size_t w = 0; w < row.count; ++w)
                 f(d, number, w, c);
             });
}

// The same with f(tag, number, result, element): the offsets of the result and
// of the window's first element.
template <class F> HWY_INLINE void forWindows(const WindowRow &row, F &&f) {
  forWindowChannels(
      row, [&](auto d, auto number, std::size_t w, std::size_t c) POPNN_INLINE {
        f(d, number, w * row.channels + c, w * row.inStep + c);
      });
}

// The elements of every window: calls f(offset, number) for each, in order.
struct AnyElements {
  Window window;
  std::size_t channels;

  template <class F> HWY_INLINE void each(F &&f) const {
    std::size_t number = 0;
    for (std::size_t i = 0; i < window.depth; ++i)
      for (std::size_t j = 0; j < window.height; ++j) {
        std::size_t at = i * window.depthStep + j * window.rowStep;
        for (std::size_t k = 0; k < window.width; ++k, at += channels)
          f(at, number++);
      }
  }
};

// The same for few, whose loop would take longer than what is done for each.
template <std::size_t N> struct FewElements {
  std::size_t offsets[N];

  template <class F> HWY_INLINE void each(F &&f) const {
#pragma GCC unroll 9
    for (std::size_t i = 0; i < N; ++i)
      f(offsets[i], i);
  }
};

template <std::size_t N>
HWY_INLINE FewElements<N> fewElements(const AnyElements &all) {
  FewElements<N> few;
  all.each([&](std::size_t at, std::size_t number)
               POPNN_INLINE { few.offsets[number] = at; });
  return few;
}

// Calls f(elements) with those of the row's windows.
template <class F> HWY_INLINE void withElements(const WindowRow &row, F &&f) {
  const AnyElements all{row.window, row.channels};
  if (row.window.elements() == 4)
    f(fewElements<4>(all));
  else
    f(all);
}

// Of each x and y the larger one; if one of them is NaN, y.
template <class Several>
HWY_INLINE Several larger(const Several &x, const Several &y) {
  return Several::made([&](std::size_t i) HWY_ATTR {
#if HWY_ARCH_X86 // defines its maximum so
    return hn::Max(x.each[i], y.each[i]);
#else
    return hn::IfThenElse(hn::Gt(x.each[i], y.each[i]), x.each[i], y.each[i]);
#endif
  });
}

// Rows are passed by value: the compiler need not expect that a result changes
// them.
void maxWindows(const WindowRow row, const float *in, float lowest,
                float *out) {
  withElements(row, [&](const auto &elements) POPNN_INLINE {
    forWindows(row, [&](auto d, auto number, std::size_t to,
                        std::size_t from) POPNN_INLINE {
      using Several = Vectors<decltype(d), number()>;
      auto largest = Several::all(d, lowest);
      elements.each([&](std::size_t at, std::size_t) POPNN_INLINE {
        largest = larger(Several::load(d, in + from + at), largest);
      });
      largest.store(d, out + to);
    });
  });
}

// Where the bits of the channels from `c` on are stored. Vectors of fewer than
// eight channels share bytes; they are stored in order.
template <class Tag>
HWY_INLINE void storeTies(Tag d, hn::Mask<Tag> mask, std::size_t c,
                          TieBits *ties) {
  TieBits bits[8]; // as many as the function may write
  hn::StoreMaskBits(d, mask, bits);
  if (hn::Lanes(d) >= 8)
    std::memcpy(ties + c / 8, bits, hn::Lanes(d) / 8);
  else if (c % 8 == 0)
    ties[c / 8] = bits[0];
  else
    ties[c / 8] = static_cast<TieBits>(ties[c / 8] | bits[0] << c % 8);
}

template <class Tag>
HWY_INLINE hn::Mask<Tag> loadTies(Tag d, std::size_t c, const TieBits *ties) {
  TieBits bits[8] = {}; // as many as the function may read
  if (hn::Lanes(d) >= 8)
    std::memcpy(bits, ties + c / 8, hn::Lanes(d) / 8);
  else
    bits[0] = static_cast<TieBits>(ties[c / 8] >> c % 8);
  return hn::LoadMaskBits(d, bits);
}

// Of what a ReLU makes of the elements, if `ofRelu`. All of a window are then
// maxima if none is above zero.
template <bool ofRelu>
HWY_INLINE void maximaAndTies(const WindowRow row, const float *in,
                              float lowest, float *out, TieBits *ties) {
  const std::size_t bytes = tieBytes(row.channels);
  const std::size_t perWindow = row.window.elements() * bytes;
  withElements(row, [&](const auto &elements) POPNN_INLINE {
    forWindowChannels(row, [&](auto d, auto number, std::size_t w,
                               std::size_t c) POPNN_INLINE {
      using Several = Vectors<decltype(d), number()>;
      const float *const from = in + w * row.inStep + c;
      auto largest = Several::all(d, ofRelu ? 0.0f : lowest);
      elements.each([&](std::size_t at, std::size_t) POPNN_INLINE {
        largest = larger(Several::load(d, from + at), largest);
      });
      largest.store(d, out + w * row.channels + c);
      TieBits *const first = ties + w * perWindow;
      elements.each([&](std::size_t at, std::size_t element) POPNN_INLINE {
        const auto x = Several::load(d, from + at);
        for (std::size_t i = 0; i < number(); ++i) {
          auto isMaximum = hn::Eq(x.each[i], largest.each[i]);
          if (ofRelu)
            isMaximum = hn::Or(isMaximum, hn::Eq(largest.each[i], hn::Zero(d)));
          storeTies(d, isMaximum, c + i * hn::Lanes(d),
                    first + element * bytes);
        }
      });
    });
  });
}

void maxWindowsAndTies(const WindowRow row, const float *in, float lowest,
                       float *out, TieBits *ties) {
  maximaAndTies<false>(row, in, lowest, out, ties);
}

void maxWindowsAndTiesOfRelu(const WindowRow row, const float *in, float *out,
                             TieBits *ties) {
  maximaAndTies<true>(row, in, 0.0f, out, ties);
}

void sumWindows(const WindowRow row, const float *in, float factor,
                float *out) {
  withElements(row, [&](const auto &elements) POPNN_INLINE {
    forWindows(row, [&](auto d, auto number, std::size_t to,
                        std::size_t from) POPNN_INLINE {
      using Several = Vectors<decltype(d), number()>;
      const auto scale = hn::Set(d, factor);
      auto sum = Several::all(d, 0);
      elements.each([&](std::size_t at, std::size_t) POPNN_INLINE {
        const auto x = Several::load(d, in + from + at);
        sum = Several::made([&](std::size_t i) HWY_ATTR {
          return hn::MulAdd(scale, x.each[i], sum.each[i]);
        });
      });
      sum.store(d, out + to);
    });
  });
}

// Spreads the gradient of some channels of a window. `isMaximum` tells, of the
// element at an offset, which has a number in the window, for which channels of
// vector i it is.
template <class Tag, class Number, class Elements, class IsMaximum>
HWY_INLINE void spreadInWindow(const Elements &elements, Tag d, Number,
                               const float *pooled, const float *gradient,
                               SpreadMode mode, float *to,
                               const IsMaximum &isMaximum) {
  using Several = Vectors<Tag, Number::value>;
  auto share = Several::load(d, gradient);
  if (mode.positiveOnly) {
    const auto maximum = Several::load(d, pooled);
    share = Several::made([&](std::size_t i) HWY_ATTR {
      return hn::IfThenElseZero(hn::Gt(maximum.each[i], hn::Zero(d)),
                                share.each[i]);
    });
  }
  if (mode.shareTies) {
    const auto one = hn::Set(d, 1.0f);
    auto ties = Several::all(d, 0);
    elements.each([&](std::size_t at, std::size_t element) POPNN_INLINE {
      ties = Several::made([&](std::size_t i) HWY_ATTR {
        return hn::Add(ties.each[i],
                       hn::IfThenElseZero(isMaximum(at, element, i), one));
      });
    });
    // Mostly nothing has to be divided, and divisions are slow.
    const auto isShared = [&](std::size_t i) HWY_ATTR {
      return hn::And(hn::Gt(ties.each[i], one),
                     hn::Ne(share.each[i], hn::Zero(d)));
    };
    auto any = isShared(0);
    for (std::size_t i = 1; i < Number::value; ++i)
      any = hn::Or(any, isShared(i));
    if (!hn::AllFalse(d, any))
      share = Several::made([&](std::size_t i) HWY_ATTR {
        return hn::Div(share.each[i], ties.each[i]);
      });
  }
  elements.each([&](std::size_t at, std::size_t element) POPNN_INLINE {
    auto gained = Several::made([&](std::size_t i) HWY_ATTR {
      return hn::IfThenElseZero(isMaximum(at, element, i), share.each[i]);
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

void spreadToMaxima(const WindowRow row, const float *in, const float *pooled,
                    const float *gradient, SpreadMode mode, float *to) {
  withElements(row, [&](const auto &elements) POPNN_INLINE {
    forWindows(row, [&](auto d, auto number, std::size_t result,
                        std::size_t from) POPNN_INLINE {
      const auto maximum =
          Vectors<decltype(d), number()>::load(d, pooled + result);
      spreadInWindow(
          elements, d, number, pooled + result, gradient + result, mode,
          to + from,
          [&](std::size_t at, std::size_t, std::size_t i) POPNN_INLINE {
            return hn::Eq(hn::LoadU(d, in + from + at + i * hn::Lanes(d)),
                          maximum.each[i]);
          });
    });
  });
}

void spreadToTies(const WindowRow row, const TieBits *ties, const float *pooled,
                  const float *gradient, SpreadMode mode, float *to) {
  const std::size_t bytes = tieBytes(row.channels);
  const std::size_t perWindow = row.window.elements() * bytes;
  withElements(row, [&](const auto &elements) POPNN_INLINE {
    forWindowChannels(row, [&](auto d, auto number, std::size_t w,
                               std::size_t c) POPNN_INLINE {
      const TieBits *const first = ties + w * perWindow;
      const std::size_t result = w * row.channels + c;
      spreadInWindow(
          elements, d, number, pooled + result, gradient + result, mode,
          to + w * row.inStep + c,
          [&](std::size_t, std::size_t element, std::size_t i) POPNN_INLINE {
            return loadTies(d, c + i * hn::Lanes(d), first + element * bytes);
          });
    });
  });
}

void clearUnlessPositive(const WindowRow row, const float *pooled, float *to) {
  withElements(row, [&](const auto &elements) POPNN_INLINE {
    forWindows(row, [&](auto d, auto number, std::size_t result,
                        std::size_t from) POPNN_INLINE {
      using Several = Vectors<decltype(d), number()>;
      const auto maximum = Several::load(d, pooled + result);
      elements.each([&](std::size_t at, std::size_t) POPNN_INLINE {
        const auto before = Several::load(d, to + from + at);
        Several::made([&](std::size_t i) HWY_ATTR {
          return hn::IfThenElseZero(hn::Gt(maximum.each[i], hn::Zero(d)),
                                    before.each[i]);
        }).store(d, to + from + at);
      });
    });
  });
}

void spreadEvenly(const WindowRow row, const float *gradient, float factor,
                  float *to) {
  withElements(row, [&](const auto &elements) POPNN_INLINE {
    forWindows(row, [&](auto d, auto number, std::size_t result,
                        std::size_t from) POPNN_INLINE {
      using Several = Vectors<decltype(d), number()>;
      const auto scale = hn::Set(d, factor);
      const auto share = Several::load(d, gradient + result);
      elements.each([&](std::size_t at, std::size_t) POPNN_INLINE {
        const auto before = Several::load(d, to + from + at);
        Several::made([&](std::size_t i) HWY_ATTR {
          return hn::MulAdd(scale, share.each[i], before.each[i]);
        }).store(d, to + from + at);
      });
    });
  });
}

} // namespace HWY_NAMESPACE
} // namespace ipumodel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ipumodel {

HWY_EXPORT(maxWindows);
HWY_EXPORT(maxWindowsAndTies);
HWY_EXPORT(maxWindowsAndTiesOfRelu);
HWY_EXPORT(sumWindows);
HWY_EXPORT(spreadToMaxima);
HWY_EXPORT(spreadToTies);
HWY_EXPORT(clearUnlessPositive);
HWY_EXPORT(spreadEvenly);

void maxWindows(const WindowRow &row, const float *in, float lowest,
                float *out) {
  HWY_DYNAMIC_DISPATCH(maxWindows)(row, in, lowest, out);
}
void maxWindowsAndTies(const WindowRow &row, const float *in, float lowest,
                       float *out, TieBits *ties) {
  HWY_DYNAMIC_DISPATCH(maxWindowsAndTies)(row, in, lowest, out, ties);
}
void maxWindowsOfRelu(const WindowRow &row, const float *in, float *out) {
  maxWindows(row, in, 0.0f, out);
}
void maxWindowsAndTiesOfRelu(const WindowRow &row, const float *in, float *out,
                             TieBits *ties) {
  HWY_DYNAMIC_DISPATCH(maxWindowsAndTiesOfRelu)(row, in, out, ties);
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
void spreadToTies(const WindowRow &row, const TieBits *ties,
                  const float *pooled, const float *gradient, SpreadMode mode,
                  float *to) {
  HWY_DYNAMIC_DISPATCH(spreadToTies)(row, ties, pooled, gradient, mode, to);
}
void clearUnlessPositive(const WindowRow &row, const float *pooled, float *to) {
  HWY_DYNAMIC_DISPATCH(clearUnlessPositive)(row, pooled, to);
}
void spreadEvenly(const WindowRow &row, const float *gradient, float factor,
                  float *to) {
  HWY_DYNAMIC_DISPATCH(spreadEvenly)(row, gradient, factor, to);
}

} // namespace ipumodel
#endif
