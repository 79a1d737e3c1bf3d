#include "poplin/channel_loops.hpp"

// Vectors of unknown size cannot be stored in arrays.
#define HWY_DISABLED_TARGETS                                                   \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "poplin/channel_loops.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace ipumodel {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Vectors of a strip of channels, so that its sums or values are in registers.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr std::size_t kSumVectors = 2, kMapVectors = 4;
#else
constexpr std::size_t kSumVectors = 1, kMapVectors = 2;
#endif

// Items are too short for the hardware to foresee which lines come next; after
// the end of an item there is the next one. So it is with results.
constexpr std::size_t kAhead = 1024;

template <class D> HWY_INLINE hn::Vec<D> loadAhead(D d, const float *x) {
  hwy::Prefetch(x + kAhead);
  return hn::LoadU(d, x);
}

// Calls f(tag, number of vectors, first channel) for strips of all channels;
// the last channels are in vectors of half the size each.
template <std::size_t Vectors, class F>
HWY_INLINE void forStrips(std::size_t channels, F &&f) {
  std::size_t c = 0;
  const auto strips = [&](auto d, auto vectors) HWY_ATTR {
    const std::size_t width = vectors * hn::Lanes(d);
    for (; c + width <= channels; c += width)
      f(d, vectors, c);
  };
  const hn::ScalableTag<float> d;
  strips(d, std::integral_constant<std::size_t, Vectors>());
  const std::integral_constant<std::size_t, 1> one;
  strips(d, one);
  strips(hn::CappedTag<float, 8>(), one);
  strips(hn::CappedTag<float, 4>(), one);
  strips(hn::CappedTag<float, 2>(), one);
  strips(hn::CappedTag<float, 1>(), one);
}

// (x - mean) * scale of some channels.
template <class D, std::size_t Vectors> class Whitening {
public:
  using V = hn::Vec<D>;
  HWY_INLINE Whitening(D d, const ChannelWhitening &of, std::size_t channel) {
    const std::size_t lanes = hn::Lanes(d);
    for (std::size_t v = 0; v < Vectors; ++v) {
      mean_[v] =
          of.mean ? hn::LoadU(d, of.mean + channel + v * lanes) : hn::Zero(d);
      scale_[v] = of.scale ? hn::LoadU(d, of.scale + channel + v * lanes)
                           : hn::Set(d, 1.0f);
    }
  }
  // The same bits as x if there is nothing to do.
  HWY_INLINE V operator()(V x, std::size_t vector) const {
    return hn::Mul(hn::Sub(x, mean_[vector]), scale_[vector]);
  }

private:
  V mean_[Vectors], scale_[Vectors];
};

// Every fourth row has its own sums, so that they do not wait for each other.
template <class Add>
HWY_INLINE void addRows(std::size_t rows, std::size_t channels,
                        const ChannelWhitening &whitening,
                        ChannelSumArrays sums, Add &&add) {
  constexpr std::size_t kRows = 4;
  forStrips<kSumVectors>(
      channels, [&](auto d, auto vectors, std::size_t c) HWY_ATTR {
        using V = hn::Vec<decltype(d)>;
        constexpr std::size_t n = decltype(vectors)::value;
        const std::size_t lanes = hn::Lanes(d);
        const Whitening<decltype(d), n> whiten(d, whitening, c);
        V first[kRows][n], second[kRows][n];
        for (std::size_t i = 0; i < kRows; ++i)
          for (std::size_t v = 0; v < n; ++v)
            first[i][v] = second[i][v] = hn::Zero(d);
        const auto addVector = [&](std::size_t row, std::size_t v, V &to,
                                   V &other) HWY_ATTR {
          add(
              d, row * channels + c + v * lanes,
              [&](V x) HWY_ATTR { return whiten(x, v); }, to, other);
        };
        std::size_t r = 0;
        for (; r + kRows <= rows; r += kRows)
          for (std::size_t i = 0; i < kRows; ++i)
            for (std::size_t v = 0; v < n; ++v)
              addVector(r + i, v, first[i][v], second[i][v]);
        for (; r < rows; ++r)
          for (std::size_t v = 0; v < n; ++v)
            addVector(r, v, first[0][v], second[0][v]);
        const auto store = [&](V(&x)[kRows][n], float *to) HWY_ATTR {
          for (std::size_t v = 0; v < n; ++v) {
            const V sum =
                hn::Add(hn::Add(x[0][v], x[1][v]), hn::Add(x[2][v], x[3][v]));
            hn::StoreU(hn::Add(hn::LoadU(d, to + v * lanes), sum), d,
                       to + v * lanes);
          }
        };
        store(first, sums.first + c);
        store(second, sums.second + c);
      });
}

void addMoments(const float *x, std::size_t rows, std::size_t channels,
                ChannelSumArrays sums) {
  addRows(rows, channels, {nullptr, nullptr}, sums,
          [x](auto d, std::size_t at, auto &&, auto &sum, auto &squares)
              HWY_ATTR {
                const auto value = loadAhead(d, x + at);
                sum = hn::Add(sum, value);
                squares = hn::MulAdd(value, value, squares);
              });
}

void addProducts(const float *x, const ChannelWhitening &whitening,
                 const float *y, std::size_t rows, std::size_t channels,
                 ChannelSumArrays sums) {
  addRows(rows, channels, whitening, sums,
          [x, y](auto d, std::size_t at, auto &&whiten, auto &products,
                 auto &sum) HWY_ATTR {
            const auto value = loadAhead(d, y + at);
            products =
                hn::MulAdd(whiten(loadAhead(d, x + at)), value, products);
            sum = hn::Add(sum, value);
          });
}

// Calls f(tag, element, values of its channels, whitening), which returns the
// results.
template <std::size_t Values, class F>
HWY_INLINE void mapRows(const ChannelMapArrays &arrays, std::size_t rows,
                        std::size_t channels, F &&f) {
  forStrips<kMapVectors>(
      channels, [&](auto d, auto vectors, std::size_t c) HWY_ATTR {
        using V = hn::Vec<decltype(d)>;
        constexpr std::size_t n = decltype(vectors)::value;
        const std::size_t lanes = hn::Lanes(d);
        V values[n][Values];
        for (std::size_t v = 0; v < n; ++v)
          for (std::size_t i = 0; i < Values; ++i)
            values[v][i] = hn::LoadU(d, arrays.values[i] + c + v * lanes);
        const Whitening<decltype(d), n> whiten(d, arrays.whitening, c);
        float *const out = arrays.out;
        const float *const term = arrays.term;
        const auto run = [&, out, term](auto adds, auto relu) HWY_ATTR {
          for (std::size_t r = 0; r < rows; ++r) {
            const std::size_t at = r * channels + c;
            V results[n];
            for (std::size_t v = 0; v < n; ++v)
              hwy::Prefetch(out + at + v * lanes + kAhead);
            for (std::size_t v = 0; v < n; ++v) {
              V result = f(d, at + v * lanes, values[v],
                           [&](V x) HWY_ATTR { return whiten(x, v); });
              if (adds)
                result = hn::Add(result, loadAhead(d, term + at + v * lanes));
              results[v] =
                  relu ? hn::IfThenElseZero(hn::Gt(result, hn::Zero(d)), result)
                       : result;
            }
            for (std::size_t v = 0; v < n; ++v)
              hn::StoreU(results[v], d, out + at + v * lanes);
          }
        };
        const std::true_type yes;
        const std::false_type no;
        if (term && arrays.relu)
          run(yes, yes);
        else if (term)
          run(yes, no);
        else if (arrays.relu)
          run(no, yes);
        else
          run(no, no);
      });
}

void whitenChannels(const ChannelMapArrays &arrays, std::size_t rows,
                    std::size_t channels) {
  mapRows<2>(arrays, rows, channels,
             [x = arrays.x](auto d, std::size_t at, const auto &values, auto &&)
                 HWY_ATTR {
                   return hn::Mul(hn::Sub(loadAhead(d, x + at), values[0]),
                                  values[1]);
                 });
}

void scaleChannels(const ChannelMapArrays &arrays, std::size_t rows,
                   std::size_t channels) {
  mapRows<2>(arrays, rows, channels,
             [x = arrays.x](auto d, std::size_t at, const auto &values,
                            auto &&whiten) HWY_ATTR {
               return hn::Add(hn::Mul(whiten(loadAhead(d, x + at)), values[0]),
                              values[1]);
             });
}

void centreChannels(const ChannelMapArrays &arrays, std::size_t rows,
                    std::size_t channels) {
  mapRows<3>(
      arrays, rows, channels,
      [x = arrays.x, y = arrays.y](auto d, std::size_t at, const auto &values,
                                   auto &&whiten) HWY_ATTR {
        const auto centred = hn::Sub(loadAhead(d, x + at), values[0]);
        const auto share = hn::Mul(whiten(loadAhead(d, y + at)), values[1]);
        return hn::Mul(hn::Sub(centred, share), values[2]);
      });
}

} // namespace HWY_NAMESPACE
} // namespace ipumodel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ipumodel {

HWY_EXPORT(addMoments);
HWY_EXPORT(addProducts);
HWY_EXPORT(whitenChannels);
HWY_EXPORT(scaleChannels);
HWY_EXPORT(centreChannels);

void addMoments(const float *x, std::size_t rows, std::size_t channels,
                ChannelSumArrays sums) {
  HWY_DYNAMIC_DISPATCH(addMoments)(x, rows, channels, sums);
}

void addProducts(const float *x, const ChannelWhitening &whitening,
                 const float *y, std::size_t rows, std::size_t channels,
                 ChannelSumArrays sums) {
  HWY_DYNAMIC_DISPATCH(addProducts)(x, whitening, y, rows, channels, sums);
}

void whitenChannels(const ChannelMapArrays &arrays, std::size_t rows,
                    std::size_t channels) {
  HWY_DYNAMIC_DISPATCH(whitenChannels)(arrays, rows, channels);
}

void scaleChannels(const ChannelMapArrays &arrays, std::size_t rows,
                   std::size_t channels) {
  HWY_DYNAMIC_DISPATCH(scaleChannels)(arrays, rows, channels);
}

void centreChannels(const ChannelMapArrays &arrays, std::size_t rows,
                    std::size_t channels) {
  HWY_DYNAMIC_DISPATCH(centreChannels)(arrays, rows, channels);
}

} // namespace ipumodel
#endif
