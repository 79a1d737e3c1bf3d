// Compares structs member by member.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace gccs {

// Members are pointers to data members; the first that differ decide.
template <class... Members> class StructHelper {
public:
  constexpr StructHelper(Members... members) : members_(members...) {}

  template <class T> constexpr bool eq(const T &a, const T &b) const {
    return eqFrom(a, b, Index<0>());
  }
  template <class T> constexpr bool lt(const T &a, const T &b) const {
    return ltFrom(a, b, Index<0>());
  }

private:
  template <std::size_t I> using Index = std::integral_constant<std::size_t, I>;
  using End = Index<sizeof...(Members)>;

  template <class T, std::size_t I>
  constexpr bool eqFrom(const T &a, const T &b, Index<I>) const {
    return a.*std::get<I>(members_) == b.*std::get<I>(members_) &&
           eqFrom(a, b, Index<I + 1>());
  }
  template <class T> constexpr bool eqFrom(const T &, const T &, End) const {
    return true;
  }

  template <class T, std::size_t I>
  constexpr bool ltFrom(const T &a, const T &b, Index<I>) const {
    return a.*std::get<I>(members_) < b.*std::get<I>(members_) ||
           (!(b.*std::get<I>(members_) < a.*std::get<I>(members_)) &&
            ltFrom(a, b, Index<I + 1>()));
  }
  template <class T> constexpr bool ltFrom(const T &, const T &, End) const {
    return false;
  }

  std::tuple<Members...> members_;
};

template <class... Members>
constexpr StructHelper<Members...> makeStructHelper(Members... members) {
  return StructHelper<Members...>(members...);
}

} // namespace gccs
