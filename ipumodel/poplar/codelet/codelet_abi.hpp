// The contract between popc and the engine: what a compiled codelet library
// exports, and how vertex fields look in memory. popc generates a table of
// these structs per library; the engine reads it after dlopen. Plain C types in
// C++11, because the two sides may be built by different compilers and codelets
// may ask for an old language.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ipumodel {
namespace abi {

// Raised whenever a struct or a field representation below changes; a library
// with another number is refused with a message asking for a recompile.
constexpr std::uint32_t kVersion = 4;

// The symbol every codelet library exports, of type `const Module`.
constexpr const char *kModuleSymbol = "popc_module";

enum class Direction : std::uint8_t { state, input, output, inOut };

// The in-memory form of a field; the engine writes these representations:
//   scalar        state T                    the value itself
//                 edge  Input<T>             T *
//   vector        state Vector<T>, edge Input<Vector<T>>          Span
//   vectorOfScalars   Vector<Input<T>>       Span of T *
//   vectorOfVectors   Vector<Input<Vector<T>>>, Input<VectorList<T>>,
//                     Vector<Vector<T>>      Span of Span
enum class Form : std::uint8_t {
  scalar,
  vector,
  vectorOfScalars,
  vectorOfVectors
};

// What Vector and VectorList hold, whatever their layout parameter.
struct Span {
  void *data;
  std::uint32_t size;
};

enum class VertexKind : std::uint8_t { vertex, multiVertex, supervisor };

struct Field {
  const char *name;
  const char
      *elementType;     // canonical C spelling: "float", "unsigned int", "half"
  std::uint32_t offset; // in the vertex object
  std::uint32_t elementSize;
  std::uint32_t
      minAlign; // of the innermost vector's data, at least the element's
  Direction direction;
  Form form;
  std::uint8_t
      vectorLayout; // poplar::VectorLayout of the innermost Vector, 0 if none
  std::uint8_t
      vectorListLayout; // poplar::VectorListLayout, 0 unless a VectorList
};

// Runs vertices [begin, end) of an array of objects `stride` bytes apart, one
// after the other; true if every compute() returned true. A MultiVertex runs
// all its workers in order.
using RunFunction = bool (*)(char *objects, std::size_t stride,
                             std::size_t begin, std::size_t end);

// Runs `count` vertices whose fields are all scalar, one after the other: of
// field f, element i of columns[f] is what vertex i points at, or its state. No
// two columns share elements of which one is written. True if every compute()
// returned true.
using RunColumnsFunction = bool (*)(void *const *columns, std::size_t count);

// The state of a random generator, xoroshiro128aox: not both are zero. Vertices
// that draw random numbers have one for each worker, behind their fields.
struct RandomState {
  unsigned long long words[2];
};

struct VertexType {
  const char *name; // canonical: ns::Foo<float,4,true>
  std::uint32_t size;
  std::uint32_t align;
  const Field *fields;
  std::uint32_t numFields;
  VertexKind kind;
  RunFunction run;
  RunColumnsFunction runColumns; // null if popc made none
  std::uint32_t randomOffset;    // of its random states in the object
  std::uint32_t numRandomStates;
};

// Where printf of a codelet goes; the engine fills the slot after loading.
using PrintFunction = void (*)(const char *text, std::size_t length);

struct Module {
  std::uint32_t version;
  std::uint32_t numVertexTypes;
  const VertexType *const *vertexTypes; // they come from several source files
  PrintFunction *print;
};

// A library whose codelets call functions of other libraries also exports this
// symbol, of type `const Imports`.
constexpr const char *kImportsSymbol = "popc_imports";

// The engine writes the function's address before it runs a vertex.
struct Import {
  const char *name; // as the linker knows it
  void **function;
};

struct Imports {
  std::uint32_t count;
  const Import *imports;
};

} // namespace abi
} // namespace ipumodel
