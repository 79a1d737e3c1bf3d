#include "popc/column_shim.hpp"

#include <algorithm>

namespace ipumodel::popc {
namespace {

// As in shim.cpp: C++11, no standard headers, no macros.
const char *const kColumnSupport = R"(
namespace popc_shim {

template <typename T, bool IsEdge> struct ColumnType {
  using Element = T;
  enum : bool { isEdge = IsEdge };
};
template <typename T> struct ColumnOf : ColumnType<T, false> {};
template <typename T> struct ColumnOf<const T> : ColumnOf<T> {};
template <typename T> struct ColumnOf<volatile T> : ColumnOf<T> {};
template <typename T>
struct ColumnOf<::poplar::Input<T>> : ColumnType<T, true> {};
template <typename T>
struct ColumnOf<::poplar::Output<T>> : ColumnType<T, true> {};
template <typename T>
struct ColumnOf<::poplar::InOut<T>> : ColumnType<T, true> {};

template <unsigned Size> struct BitsOf {};
template <> struct BitsOf<1> { using Type = unsigned char; };
template <> struct BitsOf<2> { using Type = unsigned short; };
template <> struct BitsOf<4> { using Type = unsigned; };
template <> struct BitsOf<8> { using Type = unsigned long long; };

// Field number `Index` of a vertex, at `Offset`.
template <typename Field, unsigned Offset, unsigned Index> struct Column {
  using Element = typename ColumnOf<Field>::Element;
  using Bits = typename BitsOf<sizeof(Element)>::Type;
  enum : unsigned { index = Index };

  __attribute__((always_inline)) static int fill(char *vertex, Element *at) {
    if (ColumnOf<Field>::isEdge)
      __builtin_memcpy(vertex + Offset, &at, sizeof at);
    else
      __builtin_memcpy(vertex + Offset, at, sizeof(Element));
    return 0;
  }
  // State that compute() never changes is never stored: the condition is known
  // when it is compiled.
  __attribute__((always_inline)) static int keep(char *vertex, Element *at) {
    if (ColumnOf<Field>::isEdge)
      return 0;
    Bits before, after;
    __builtin_memcpy(&before, at, sizeof before);
    __builtin_memcpy(&after, vertex + Offset, sizeof after);
    if (before != after)
      __builtin_memcpy(at, &after, sizeof after);
    return 0;
  }
};

template <typename V, typename... C> struct Columns {
  // Not inlined, so that the compiler uses what it says of its parameters.
  __attribute__((noinline)) static bool
  loop(decltype(sizeof(0)) count, typename C::Element *__restrict... columns) {
    bool all = true;
    for (decltype(count) i = 0; i != count; ++i) {
      alignas(V) char vertex[sizeof(V)];
      __builtin_memset(vertex, 0, sizeof vertex);
      const int filled[] = {C::fill(vertex, columns + i)...};
      all &= RunnerOf<V>::compute(*reinterpret_cast<V *>(vertex), NoRandom{});
      const int kept[] = {C::keep(vertex, columns + i)...};
      (void)filled, (void)kept;
    }
    return all;
  }
  static bool run(void *const *columns, decltype(sizeof(0)) count) {
    return loop(count,
                static_cast<typename C::Element *>(columns[C::index])...);
  }
};

} // namespace popc_shim
)";

} // namespace

const char *columnSupport() { return kColumnSupport; }

bool canBeColumns(const VertexClass &vertex) {
  return !vertex.fields.empty() &&
         std::all_of(vertex.fields.begin(), vertex.fields.end(),
                     [](const VertexField &field) {
                       return field.type.form == abi::Form::scalar;
                     });
}

std::string runColumns(const VertexClass &vertex) {
  std::string columns;
  for (std::size_t i = 0; i < vertex.fields.size(); ++i) {
    const std::string &name = vertex.fields[i].name;
    columns += ", Column<decltype(V::" + name + "), __builtin_offsetof(V, " +
               name + "), " + std::to_string(i) + ">";
  }
  return "&Columns<V" + columns + ">::run";
}

} // namespace ipumodel::popc
