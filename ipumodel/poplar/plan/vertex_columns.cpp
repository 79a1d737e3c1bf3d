#include "poplar/plan/vertex_columns.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace ipumodel {

namespace {

// Vertices that a loop runs at once: their elements stay in L1.
constexpr std::size_t kBlock = 512;
// Ranges begin at multiples of the vertices that a vectorised loop runs
// together.
constexpr std::size_t kGrain = 16;
constexpr std::size_t kMinPiece = 8;
constexpr std::size_t kMaxElement = 8;

// Steps are in bytes; elements do not overlap others.
template <class T>
void copyElements(char *to, std::ptrdiff_t toStep, const char *from,
                  std::ptrdiff_t fromStep, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, from + static_cast<std::ptrdiff_t>(i) * fromStep,
                sizeof(T));
    std::memcpy(to + static_cast<std::ptrdiff_t>(i) * toStep, &value,
                sizeof(T));
  }
}

// A compiler that knows that vectorises it, if it is not inlined.
template <class T>
[[gnu::noinline]] void reverse(T *__restrict to, const T *__restrict from,
                               std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    to[i] = from[count - 1 - i];
}

template <class T>
void copyStrided(char *to, std::ptrdiff_t toStep, const char *from,
                 std::ptrdiff_t fromStep, std::size_t count) {
  constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(T));
  const auto last = static_cast<std::ptrdiff_t>(count - 1);
  if (toStep == size && fromStep == size)
    std::memcpy(to, from, count * sizeof(T));
  else if (toStep == size && fromStep == -size)
    reverse(reinterpret_cast<T *>(to),
            reinterpret_cast<const T *>(from - last * size), count);
  else if (toStep == -size && fromStep == size)
    reverse(reinterpret_cast<T *>(to - last * size),
            reinterpret_cast<const T *>(from), count);
  else if (toStep == size && fromStep == 0)
    copyElements<T>(to, size, from, 0, count);
  else
    copyElements<T>(to, toStep, from, fromStep, count);
}

void copyStrided(std::size_t elementSize, char *to, std::ptrdiff_t toStep,
                 const char *from, std::ptrdiff_t fromStep, std::size_t count) {
  switch (elementSize) {
  case 1:
    return copyStrided<std::uint8_t>(to, toStep, from, fromStep, count);
  case 2:
    return copyStrided<std::uint16_t>(to, toStep, from, fromStep, count);
  case 4:
    return copyStrided<std::uint32_t>(to, toStep, from, fromStep, count);
  default:
    return copyStrided<std::uint64_t>(to, toStep, from, fromStep, count);
  }
}

} // namespace

VertexColumns::VertexColumns(const abi::VertexType &type)
    : run_(type.runColumns) {
  for (std::uint32_t i = 0; i < type.numFields; ++i) {
    const abi::Field &field = type.fields[i];
    columns_.push_back({field.elementSize, field.direction, {}});
  }
}

bool VertexColumns::add(const Place *places) {
  for (std::size_t a = 0; a < columns_.size(); ++a)
    for (std::size_t b = 0; b < columns_.size(); ++b)
      if (a != b && isWritten(columns_[a]) && isEdge(columns_[a]) &&
          isEdge(columns_[b]) && !places[b].inScratch &&
          places[b].offset < places[a].offset + columns_[a].elementSize &&
          places[a].offset < places[b].offset + columns_[b].elementSize)
        return false;
  for (std::size_t c = 0; c < columns_.size(); ++c)
    append(columns_[c], places[c]);
  ++count_;
  return true;
}

void VertexColumns::append(Column &column, const Place &place) const {
  std::vector<Piece> &pieces = column.pieces;
  if (!pieces.empty() && pieces.back().place.inScratch == place.inScratch) {
    Piece &last = pieces.back();
    const std::size_t length = count_ - last.first;
    const auto step = static_cast<std::ptrdiff_t>(place.offset) -
                      static_cast<std::ptrdiff_t>(last.place.offset) -
                      static_cast<std::ptrdiff_t>(length - 1) * last.step;
    if (length == 1)
      last.step = step;
    if (last.step == step)
      return;
    if (length == 2) { // the second one begins a piece with this
      const std::size_t before =
          last.place.offset + static_cast<std::size_t>(last.step);
      pieces.push_back({count_ - 1, {before, place.inScratch}, step});
      return;
    }
  }
  pieces.push_back({count_, place, 0});
}

void VertexColumns::move(std::size_t field, std::size_t offset) {
  for (Piece &piece : columns_[field].pieces)
    piece.place.offset += offset;
}

bool VertexColumns::isRegular() const {
  return std::all_of(columns_.begin(), columns_.end(),
                     [&](const Column &column) {
                       return column.pieces.size() == 1 ||
                              column.pieces.size() * kMinPiece <= count_;
                     });
}

// Consecutive vertices whose elements are in arrays: where they are, or copied.
class VertexColumns::Block {
public:
  Block(const VertexColumns &all, const Replica &replica, std::size_t begin)
      : all_(all), replica_(replica) {
    for (std::size_t c = 0; c < all.columns_.size(); ++c) {
      const std::vector<Piece> &pieces = all.columns_[c].pieces;
      const auto after = std::upper_bound(
          pieces.begin(), pieces.end(), begin,
          [](std::size_t i, const Piece &piece) { return i < piece.first; });
      piece_[c] = static_cast<std::size_t>(after - pieces.begin()) - 1;
    }
  }

  // Of one block after the other.
  bool run(std::size_t begin, std::size_t count) {
    void *arrays[kMaxFields];
    for (std::size_t c = 0; c < all_.columns_.size(); ++c)
      arrays[c] = load(c, begin, begin + count);
    const bool status = all_.run_(arrays, count);
    for (std::size_t c = 0; c < all_.columns_.size(); ++c) {
      if (arrays[c] == copies_[c] && isWritten(all_.columns_[c]))
        forEachPart(c, begin, begin + count,
                    [&](char *at, std::ptrdiff_t step, char *copy,
                        std::size_t size, std::size_t n) {
                      copyStrided(size, at, step, copy,
                                  static_cast<std::ptrdiff_t>(size), n);
                    });
      skip(c, begin + count);
    }
    return status;
  }

private:
  std::size_t endOf(const Column &column, std::size_t piece) const {
    return piece + 1 < column.pieces.size() ? column.pieces[piece + 1].first
                                            : all_.count_;
  }

  char *at(const Piece &piece, std::size_t vertex) const {
    const Buffer &memory =
        piece.place.inScratch ? replica_.scratch : replica_.memory;
    return memory.data() + piece.place.offset +
           static_cast<std::ptrdiff_t>(vertex - piece.first) * piece.step;
  }

  char *load(std::size_t c, std::size_t begin, std::size_t end) {
    const Column &column = all_.columns_[c];
    const Piece &piece = column.pieces[piece_[c]];
    if (piece.step == static_cast<std::ptrdiff_t>(column.elementSize) &&
        endOf(column, piece_[c]) >= end)
      return at(piece, begin);
    forEachPart(c, begin, end,
                [](const char *from, std::ptrdiff_t step, char *copy,
                   std::size_t size, std::size_t n) {
                  copyStrided(size, copy, static_cast<std::ptrdiff_t>(size),
                              from, step, n);
                });
    return copies_[c];
  }

  // Calls f(where elements are, their step, where their copy is, their size and
  // number) for the parts of pieces.
  template <class F>
  void forEachPart(std::size_t c, std::size_t begin, std::size_t end, F &&f) {
    const Column &column = all_.columns_[c];
    char *copy = copies_[c];
    for (std::size_t p = piece_[c]; begin != end; ++p) {
      const std::size_t n = std::min(end, endOf(column, p)) - begin;
      const Piece &piece = column.pieces[p];
      f(at(piece, begin), piece.step, copy, column.elementSize, n);
      copy += n * column.elementSize;
      begin += n;
    }
  }

  // To the piece that has the vertex.
  void skip(std::size_t c, std::size_t vertex) {
    const Column &column = all_.columns_[c];
    while (piece_[c] + 1 < column.pieces.size() &&
           column.pieces[piece_[c] + 1].first <= vertex)
      ++piece_[c];
  }

  const VertexColumns &all_;
  const Replica &replica_;
  std::size_t piece_[kMaxFields]; // of the next vertex
  alignas(64) char copies_[kMaxFields][kBlock * kMaxElement];
};

bool VertexColumns::run(const Replica &replica, std::size_t begin,
                        std::size_t end) const {
  const auto cut = [&](std::size_t i) {
    return std::min((i + kGrain - 1) / kGrain * kGrain, count_);
  };
  begin = cut(begin);
  end = cut(end);
  bool all = true;
  Block block(*this, replica, begin);
  for (std::size_t n; begin < end; begin += n) {
    n = std::min(kBlock, end - begin);
    all = block.run(begin, n) && all;
  }
  return all;
}

} // namespace ipumodel
