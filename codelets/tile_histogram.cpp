// Counts of elements in buckets of equal width.
#include "codelets/element_format.hpp"

#include <poplar/Vertex.hpp>

namespace popscope {

template <typename T> class TileHistogram : public poplar::Vertex {
public:
  poplar::Vector<poplar::Input<poplar::Vector<T>>> regions;
  // Elements below the first bucket, in each bucket, at or above the end of
  // the last, and NaN.
  poplar::Output<poplar::Vector<unsigned>> counts;
  float begin;
  float bucketsPerUnit;

  bool compute() {
    const unsigned buckets = counts.size() - 3;
    for (unsigned i = 0; i < counts.size(); ++i)
      counts[i] = 0;
    for (unsigned r = 0; r < regions.size(); ++r)
      for (unsigned i = 0; i < regions[r].size(); ++i)
        ++counts[slot(ElementFormat<T>::toFloat(regions[r][i]), buckets)];
    return true;
  }

private:
  unsigned slot(float value, unsigned buckets) const {
    const unsigned magnitude = magnitudeOf(value);
    if (magnitude > ElementFormat<T>::kInfinity)
      return buckets + 2;
    if (magnitude == ElementFormat<T>::kInfinity) // of a half, the float 2^16
      return value < 0.0f ? 0 : buckets + 1;
    const float position = (value - begin) * bucketsPerUnit;
    if (position < 0.0f)
      return 0;
    return position < float(buckets) ? 1 + unsigned(position) : buckets + 1;
  }
};

template class TileHistogram<float>;
template class TileHistogram<half>;
template class TileHistogram<int>;
template class TileHistogram<unsigned>;

// Adds up the rows of a matrix of counts.
class SumCounts : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<unsigned>> rows; // one after the other
  poplar::Output<poplar::Vector<unsigned>> sums;

  bool compute() {
    for (unsigned i = 0; i < sums.size(); ++i)
      sums[i] = 0;
    for (unsigned begin = 0; begin < rows.size(); begin += sums.size())
      for (unsigned i = 0; i < sums.size(); ++i)
        sums[i] += rows[begin + i];
    return true;
  }
};

} // namespace popscope
