// The scalar fields of many vertices of a class as columns: arrays with an
// element for each vertex, so that one loop runs them all.
#pragma once

#include "poplar/codelet/codelet_abi.hpp"
#include "poplar/run/execution_state.hpp"

#include <cstddef>
#include <vector>

namespace ipumodel {

class VertexColumns {
public:
  // More fields are not worth it: few classes have them.
  static constexpr std::size_t kMaxFields = 16;
  static constexpr std::size_t kMinVertices = 32;

  // Where the element of a vertex is.
  struct Place {
    std::size_t offset;
    bool inScratch; // else in memory
  };

  explicit VertexColumns(const abi::VertexType &type);

  // Adds the elements that a vertex has, one for each field. False if one is
  // written and is also that of another field: only a vertex one by one would
  // read there what it wrote. State is placed from 0 on, until move().
  bool add(const Place *places);
  void move(std::size_t field, std::size_t offset);
  // False if the elements are so scattered that vertices run faster one by one.
  bool isRegular() const;

  // Runs vertices [begin, end), or those after each of the two up to the next
  // multiple of a number: where a loop begins does not depend on the number of
  // threads. True if every compute() returned true.
  bool run(const Replica &replica, std::size_t begin, std::size_t end) const;

private:
  // Elements of the vertices from `first` to before the next piece's, `step`
  // bytes apart.
  struct Piece {
    std::size_t first;
    Place place;
    std::ptrdiff_t step;
  };
  struct Column {
    std::size_t elementSize;
    abi::Direction direction;
    std::vector<Piece> pieces;
  };
  class Block;

  static bool isEdge(const Column &column) {
    return column.direction != abi::Direction::state;
  }
  static bool isWritten(const Column &column) {
    return column.direction != abi::Direction::input;
  }
  void append(Column &column, const Place &place) const;

  abi::RunColumnsFunction run_;
  std::vector<Column> columns_;
  std::size_t count_ = 0;
};

} // namespace ipumodel
