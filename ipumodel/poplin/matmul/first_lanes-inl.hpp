// The first lanes of vectors; included once per target.
#if defined(IPUMODEL_FIRST_LANES) == defined(HWY_TARGET_TOGGLE)
#ifdef IPUMODEL_FIRST_LANES
#undef IPUMODEL_FIRST_LANES
#else
#define IPUMODEL_FIRST_LANES
#endif

#include <cstddef>
#include <cstring>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ipumodel {
namespace HWY_NAMESPACE {

// Loads and stores them, and touches nothing after them, which may be another
// thread's. On targets without masks Highway's MaskedLoad needs aligned memory,
// and its BlendedStore may write back what it has read there.
template <class Tag> class FirstLanes {
public:
  HWY_INLINE explicit FirstLanes(std::size_t count)
      : count_(count), areAll_(count == hwy::HWY_NAMESPACE::Lanes(Tag())),
        mask_(hwy::HWY_NAMESPACE::FirstN(Tag(), count)) {}

  HWY_INLINE bool areAll() const { return areAll_; }
  // True if a load of them takes as long as that of a vector.
  static constexpr bool kIsFree = HWY_TARGET <= HWY_AVX3;
#if HWY_TARGET <= HWY_AVX2
  // The other lanes are zero.
  HWY_INLINE hwy::HWY_NAMESPACE::Vec<Tag> load(const float *from) const {
    return hwy::HWY_NAMESPACE::MaskedLoad(mask_, Tag(), from);
  }
  HWY_INLINE void store(const hwy::HWY_NAMESPACE::Vec<Tag> &v,
                        float *to) const {
    hwy::HWY_NAMESPACE::BlendedStore(v, mask_, Tag(), to);
  }
#else
  HWY_INLINE hwy::HWY_NAMESPACE::Vec<Tag> load(const float *from) const {
    HWY_ALIGN float lanes[hwy::HWY_NAMESPACE::MaxLanes(Tag())] = {};
    std::memcpy(lanes, from, count_ * sizeof(float));
    return hwy::HWY_NAMESPACE::Load(Tag(), lanes);
  }
  HWY_INLINE void store(const hwy::HWY_NAMESPACE::Vec<Tag> &v,
                        float *to) const {
    HWY_ALIGN float lanes[hwy::HWY_NAMESPACE::MaxLanes(Tag())];
    hwy::HWY_NAMESPACE::Store(v, Tag(), lanes);
    std::memcpy(to, lanes, count_ * sizeof(float));
  }
#endif

private:
  std::size_t count_;
  bool areAll_;
  hwy::HWY_NAMESPACE::Mask<Tag> mask_;
};

} // namespace HWY_NAMESPACE
} // namespace ipumodel
HWY_AFTER_NAMESPACE();

#endif
