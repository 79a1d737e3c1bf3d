// A visitor of a variant, made of one lambda per kind.
#pragma once

namespace popscope::host {

template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;

} // namespace popscope::host
