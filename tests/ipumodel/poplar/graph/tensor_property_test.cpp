// Compares random sequences of view operations with a list of elements.
#include "random_views.hpp"

#include <poplar/Graph.hpp>

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace {

using namespace poplar;

class TensorViews : public testing::TestWithParam<unsigned> {};

TEST_P(TensorViews, ShowTheElementsTheirOperationsSelect) {
  Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
  RandomViews views(graph, GetParam());
  for (int i = 0; i < 25; ++i) {
    views.step();
    ASSERT_NO_FATAL_FAILURE(expectSame(views.tensor(), views.model()))
        << "after step " << i;
  }
}

TEST_P(TensorViews, AnswerQueriesAsTheirElementsDo) {
  Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
  RandomViews views(graph, GetParam() + 1000);
  for (int i = 0; i < 12; ++i) {
    views.step();
    const Tensor &t = views.tensor();
    const auto &elements = views.model().elements;
    const std::set<Element> distinct(elements.begin(), elements.end());
    EXPECT_EQ(t.numElements(), elements.size());
    EXPECT_EQ(t.containsAliases(), distinct.size() < elements.size());
    EXPECT_FALSE(t.containsConstant());

    std::size_t runs = elements.empty() ? 0 : 1;
    for (std::size_t k = 1; k < elements.size(); ++k)
      if (elements[k] !=
          Element(elements[k - 1].first, elements[k - 1].second + 1))
        ++runs;
    const auto regions = t.getContiguousRegions();
    EXPECT_EQ(regions.size(), runs);
    EXPECT_EQ(t.isContiguous(), runs <= 1);
    std::size_t next = 0;
    for (const Interval &region : regions) {
      EXPECT_EQ(region.begin(), next);
      next = region.end();
    }
    EXPECT_EQ(next, elements.size());
  }
}

TEST_P(TensorViews, IntersectWhenTheyShareAnElement) {
  Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
  RandomViews a(graph, GetParam() + 2000);
  for (int i = 0; i < 6; ++i)
    a.step();
  const Tensor all = a.tensor().flatten();
  std::mt19937 random(GetParam());
  for (int i = 0; i < 10 && all.numElements() > 0; ++i) {
    std::uniform_int_distribution<std::size_t> position(0, all.numElements());
    const auto part = [&] {
      std::size_t x = position(random), y = position(random);
      return all.slice(std::min(x, y), std::max(x, y));
    };
    const Tensor first = part(), second = part();
    const auto x = elementsOf(first), y = elementsOf(second);
    const bool share = std::any_of(x.begin(), x.end(), [&](const Element &e) {
      return std::find(y.begin(), y.end(), e) != y.end();
    });
    EXPECT_EQ(first.intersectsWith(second), share);
    EXPECT_EQ(first == second, x == y);
  }
}

TEST_P(TensorViews, AreEqualWhenTheirElementsAreHoweverTheyWereMade) {
  Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
  RandomViews a(graph, GetParam() + 3000);
  for (int i = 0; i < 6; ++i)
    a.step();
  const Tensor all = a.tensor().flatten();
  std::mt19937 random(GetParam());
  for (int i = 0; i < 10 && all.numElements() > 1; ++i) {
    std::vector<std::size_t> cuts{0, all.numElements()};
    for (int cut = 0; cut < 3; ++cut)
      cuts.push_back(random() % all.numElements());
    std::sort(cuts.begin(), cuts.end());
    std::vector<Tensor> pieces;
    for (std::size_t cut = 1; cut < cuts.size(); ++cut)
      pieces.push_back(all.slice(cuts[cut - 1], cuts[cut]));
    EXPECT_EQ(concat(pieces).reshape(a.tensor().shape()), a.tensor());
    std::swap(pieces[random() % pieces.size()], pieces.back());
    const Tensor swapped = concat(pieces);
    EXPECT_EQ(swapped == all, elementsOf(swapped) == elementsOf(all));
  }
}

// The tile of each element.
std::vector<int> tilesOf(const Graph &graph, const Tensor &t) {
  std::vector<int> tiles(t.numElements(), -1);
  const auto mapping = graph.getTileMapping(t, false);
  for (std::size_t tile = 0; tile < mapping.size(); ++tile)
    for (const Interval &interval : mapping[tile])
      for (std::size_t i = interval.begin(); i < interval.end(); ++i)
        tiles[i] = static_cast<int>(tile);
  return tiles;
}

TEST_P(TensorViews, MapTheElementsUnderneath) {
  Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
  RandomViews views(graph, GetParam() + 3000);
  std::map<Element, int> expected;
  std::mt19937 random(GetParam());
  for (int i = 0; i < 10; ++i) {
    views.step();
    const Tensor &t = views.tensor();
    Graph::TileToTensorMapping mapping(4);
    std::map<std::size_t, int> tileOf;
    for (std::size_t begin = 0; begin < t.numElements();) {
      const std::size_t end =
          std::min<std::size_t>(t.numElements(), begin + 1 + random() % 7);
      const unsigned tile = random() % 4;
      mapping[tile].emplace_back(begin, end);
      for (; begin < end; ++begin)
        tileOf[begin] = static_cast<int>(tile);
    }
    if (i % 2) {
      graph.setTileMapping(t, mapping);
      // Tiles are mapped in ascending order, so the last one wins.
      for (int tile = 0; tile < 4; ++tile)
        for (std::size_t k = 0; k < t.numElements(); ++k)
          if (tileOf[k] == tile)
            expected[views.model().elements[k]] = tile;
    } else {
      graph.setTileMapping(t, i % 4);
      for (const Element &element : views.model().elements)
        expected[element] = i % 4;
    }
    std::vector<int> wanted;
    for (const Element &element : views.model().elements)
      wanted.push_back(expected.at(element));
    EXPECT_EQ(tilesOf(graph, t), wanted);
  }
}

// Gives equal elements equal numbers: 0 for the first, 1 for the next new one.
std::vector<std::size_t> aliasPattern(const Tensor &t) {
  std::map<Element, std::size_t> numbers;
  std::vector<std::size_t> pattern;
  for (const Element &element : elementsOf(t))
    pattern.push_back(numbers.emplace(element, numbers.size()).first->second);
  return pattern;
}

// The positions of the tensor's elements in memory order.
std::vector<std::size_t> storageRanks(const Tensor &t) {
  const auto elements = elementsOf(t);
  const std::set<Element> sorted(elements.begin(), elements.end());
  std::vector<std::size_t> ranks;
  for (const Element &element : elements)
    ranks.push_back(static_cast<std::size_t>(
        std::distance(sorted.begin(), sorted.find(element))));
  return ranks;
}

TEST_P(TensorViews, AreClonedByMethod) {
  Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
  RandomViews views(graph, GetParam() + 4000);
  for (int i = 0; i < 8; ++i) {
    views.step();
    const Tensor &t = views.tensor();
    Graph::TileToTensorMapping mapping(4);
    for (std::size_t k = 0; k < t.numElements(); ++k)
      mapping[k / 3 % 4].emplace_back(k, k + 1);
    graph.setTileMapping(t, mapping);

    using Method = TensorCloneMethod;
    for (const Method method :
         {Method::PRESERVE_ORDER_AND_ALIASES, Method::CREATE_NEW_ORDER,
          Method::PRESERVE_ORDER_UNLESS_ALIASES,
          Method::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES}) {
      const Tensor clone = graph.clone(t, "clone", method);
      ASSERT_EQ(clone.shape(), t.shape());
      EXPECT_FALSE(clone.intersectsWith(t));
      EXPECT_EQ(tilesOf(graph, clone), tilesOf(graph, t)) << toString(method);
      const bool keepsAliases =
          method == Method::PRESERVE_ORDER_AND_ALIASES ||
          method == Method::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES;
      if (keepsAliases) {
        EXPECT_EQ(aliasPattern(clone), aliasPattern(t)) << toString(method);
      } else {
        EXPECT_FALSE(clone.containsAliases()) << toString(method);
      }
      if (method == Method::CREATE_NEW_ORDER) {
        EXPECT_TRUE(clone.isContiguous());
      }
      if (method == Method::PRESERVE_ORDER_AND_ALIASES) {
        EXPECT_EQ(storageRanks(clone), storageRanks(t));
      }
    }
  }
}

TEST_P(TensorViews, AreClonedSeveralTimesAtOnce) {
  Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
  RandomViews views(graph, GetParam() + 5000);
  for (int i = 0; i < 5; ++i)
    views.step();
  const Tensor &t = views.tensor();
  Graph::TileToTensorMapping mapping(4);
  for (std::size_t k = 0; k < t.numElements(); ++k)
    mapping[k / 2 % 4].emplace_back(k, k + 1);
  graph.setTileMapping(t, mapping);
  using Duplication = TensorCloneDuplicationMethod;
  for (const Duplication duplication :
       {Duplication::DUPLICATE_BY_OUTER_DIMENSION,
        Duplication::DUPLICATE_BY_TILE_CONTIGUOUS_REGION}) {
    const Tensor clones = graph.cloneN(
        t, 3, "clones", TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES,
        duplication);
    ASSERT_EQ(clones.rank(), t.rank() + 1);
    ASSERT_EQ(clones.dim(0), 3u);
    for (unsigned k = 0; k < 3; ++k) {
      EXPECT_EQ(aliasPattern(clones[k]), aliasPattern(t));
      EXPECT_EQ(tilesOf(graph, clones[k]), tilesOf(graph, t));
      EXPECT_FALSE(clones[k].intersectsWith(clones[(k + 1) % 3]));
    }
  }
}

TEST_P(TensorViews, AreReorderedTogether) {
  Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
  RandomViews views(graph, GetParam() + 6000);
  for (int i = 0; i < 10; ++i) {
    views.step();
    const Tensor &t = views.tensor();
    const Tensor partner = graph.addVariable(FLOAT, t.shape());
    Tensor simple = t.flatten(), other = partner.flatten();
    graph.reorderToSimplify(&simple, {&other}, false);
    EXPECT_LE(simple.getContiguousRegions().size(),
              t.getContiguousRegions().size());
    // The same pairs of elements as before, in another order.
    const auto pairs = [](const Tensor &a, const Tensor &b) {
      const auto x = elementsOf(a), y = elementsOf(b);
      std::vector<std::pair<Element, Element>> result;
      for (std::size_t k = 0; k < x.size(); ++k)
        result.emplace_back(x[k], y[k]);
      std::sort(result.begin(), result.end());
      return result;
    };
    EXPECT_EQ(pairs(simple, other), pairs(t, partner));

    const TensorRearranger rearranger = graph.getSimplifyingRearranger(t);
    EXPECT_EQ(elementsOf(rearranger.undoRearrangement(rearranger.rearrange(t))),
              elementsOf(t));
  }
}

TEST_P(TensorViews, AreListedInTheOrderOfStorage) {
  Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
  RandomViews views(graph, GetParam() + 7000);
  for (int i = 0; i < 10; ++i) {
    views.step();
    const Tensor &t = views.tensor();
    const auto &elements = views.model().elements;
    const Interval whole(0, t.numElements());
    std::vector<std::size_t> seen(t.numElements());
    std::vector<std::size_t> aliases;
    const auto sequences =
        graph.getSortedContiguousRegions(t, {whole}, false, &aliases);
    std::size_t next = 0;
    for (const auto &sequence : sequences) {
      const Element *last = nullptr;
      for (const Interval &interval : sequence) {
        for (std::size_t k = interval.begin(); k < interval.end(); ++k) {
          ++seen[k];
          if (last) {
            EXPECT_EQ(elements[k], Element(last->first, last->second + 1));
          }
          last = &elements[k];
          const std::size_t first = aliases[next] + (k - interval.begin());
          EXPECT_EQ(elements[k], elements[first]);
        }
        ++next;
      }
    }
    EXPECT_EQ(next, aliases.size());
    EXPECT_EQ(seen, std::vector<std::size_t>(t.numElements(), 1));

    std::set<Element> distinct;
    for (const auto &sequence :
         graph.getSortedContiguousRegions(t, {whole}, true))
      for (const Interval &interval : sequence)
        for (std::size_t k = interval.begin(); k < interval.end(); ++k)
          EXPECT_TRUE(distinct.insert(elements[k]).second);
    EXPECT_EQ(distinct, std::set<Element>(elements.begin(), elements.end()));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, TensorViews, testing::Range(0u, 40u));

} // namespace
