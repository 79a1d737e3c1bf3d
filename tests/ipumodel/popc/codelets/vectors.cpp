// The device's vector types and functions, as codelets for the IPU use them.
#include <poplar/Vertex.hpp>

#include <ipu_intrinsics>
#include <ipudef.h>

using namespace poplar;

// (a * 1/16 + b) / c - b, two, four or eight elements at a time.
template <typename V, typename T> class Blend : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 16>> a;
  Input<Vector<T, VectorLayout::ONE_PTR, 16>> b;
  Input<Vector<T, VectorLayout::ONE_PTR, 16>> c;
  Output<Vector<T, VectorLayout::SPAN, 16>> out;
  bool compute() {
    const V *va = reinterpret_cast<V *>(&a[0]);
    const V *vb = reinterpret_cast<V *>(&b[0]);
    const auto vc = reinterpret_cast<V *>(&c[0]);
    V *result = reinterpret_cast<V *>(&out[0]);
    const rptsize_t count = out.size() * sizeof(T) / sizeof(V);
    for (unsigned i = 0; i < count; ++i) {
      V sum = 1.f / 16 * ipu::load_postinc(&va, 1);
      sum += *vb;
      ipu::store_postinc(&result, sum / vc[i] - ipu::load_postinc(&vb, 1), 1);
    }
    return true;
  }
};
template class Blend<half2, half>;
template class Blend<half4, half>;
template class Blend<half8, half>;
template class Blend<float2, float>;
template class Blend<float4, float>;

class Conversions : public Vertex {
public:
  Input<Vector<half>> halves;
  Output<Vector<float>> widened;
  Input<Vector<float>> floats;
  Output<Vector<half>> rounded;
  bool compute() {
    for (unsigned i = 0; i < halves.size(); ++i)
      widened[i] = halves[i];
    for (unsigned i = 0; i < floats.size(); ++i)
      rounded[i] = floats[i];
    return true;
  }
};

class Functions : public Vertex {
public:
  Output<Vector<float>> out;
  bool compute() {
    unsigned next = 0;
    const auto put = [&](float value) { out[next++] = value; };
    const float2 x = {1.5f, -2.0f}, y = {-3.0f, 0.25f};
    const half4 h = {1, -2.0f, 4, 0.5f};
    const float infinity = std::numeric_limits<float>::infinity();
    __builtin_assume(out.size() > 10);

    put(ipu::fmax(x, y)[0]);
    put(__builtin_ipu_max(x, y)[1]);
    put(__builtin_ipu_f32min(2.0f, 1.0f));
    put(__builtin_ipu_absadd(x, y)[0]);
    put(__builtin_ipu_clamp(h, half2{-1, 1})[2]);
    put(ipu::clamp(h, half2{-1, 1})[1]);
    put(ipu::clamp(x, float2{-1, 1})[0]);
    put(ipu::clamp(half2{0.5f, 7}, half2{-1, 1})[0]);
    put(ipu::clamp(9.0f, float2{-1, 1.25f}));
    put(ipu::rsqrt(4.0f));
    put(ipu::sqrt(h)[2]);
    put(ipu::fma(x, y, float2{1, 1})[1]);
    put(ipu::sigmoid(half(0)));
    // Comparisons give bits that select.
    put(__builtin_ipu_and(__builtin_ipu_cmpgt(x, y), x)[0]);
    put(__builtin_ipu_and(__builtin_ipu_cmpgt(x, y), x)[1]);
    put((x < y)[0]);
    put((h < 1)[1]);
    put(ipu::isinf(infinity));
    put(__builtin_ipu_isnan(float2{infinity - infinity, 1})[0]);
    put(ipu::andc(-2.0f, -0.0f));
    put(__builtin_ipu_f16v2sum(half2{1, 2}));
    put(__builtin_ipu_shuf8x8lo(0x04030201, 0x40302010) == 0x20021001);
    // A cast between vectors keeps the bits.
    put(static_cast<half4>(static_cast<float2>(h))[3]);
    put(int2{1, 2}[1] + uint4{1, 2, 3, 4}[3] + short4{5, 6, 7, 8}[0]);
    put(__builtin_ipu_sum(h)[1]);
    put(__builtin_ipu_f16v4sum(h)[0]);
    put(__builtin_ipu_f16v2maxc(half2{-3, -2}));
    put(__builtin_ipu_f16v4maxc(h)[1]);
    put(__builtin_ipu_f16tof32(__builtin_ipu_f32tof16(2049.0f)));
    put(__builtin_ipu_not(__builtin_ipu_not(1.5f)));
    put(__builtin_ipu_and(__builtin_ipu_not(__builtin_ipu_cmplt(x, y)), x)[0]);
    put(__builtin_ipu_and(6u, 3u));
    put(__builtin_ipu_sort8x8lo(0x04030201, 0x40302010) == 0x30100301);
    put(__builtin_ipu_sort8x8hi(0x04030201, 0x40302010) == 0x40200402);
    put(__builtin_ipu_swap8(0x04030201) == 0x03040102);
    put(__builtin_ipu_bitrev8(0x01020380) == 0x8040c001);
    static constexpr half4 constant = {1, 2.0f, 3, 2049.0f};
    put(constant[3]);
    return sizeof(long2) == 8 && sizeof(half8) == 16;
  }
};

template <typename V> class Named : public Vertex {
public:
  unsigned n;
  bool compute() { return n == sizeof(V); }
};
template class Named<int4>;
template class Named<uchar4>;
