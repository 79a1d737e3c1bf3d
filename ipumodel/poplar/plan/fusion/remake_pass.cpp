#include "poplar/plan/fusion/chain.hpp"

#include <algorithm>
#include <unordered_map>

namespace ipumodel {

namespace {

// Where the programs of a line are: their groups, in order.
using GroupPlaces = std::unordered_map<const ProgramNode *, std::size_t>;

GroupPlaces placesOf(const std::vector<Group> &groups) {
  GroupPlaces places;
  for (std::size_t group = 0; group < groups.size(); ++group)
    if (groups[group].chain)
      for (const ChainLink &link : groups[group].chain->links)
        places.emplace(link.node, group);
    else
      places.emplace(groups[group].unit.program.get(), group);
  return places;
}

// True if nothing changes the view from `group` on, before the line runs again.
bool isDoneBefore(const View &view, std::size_t group,
                  const GroupPlaces &places, const FusionFacts &facts) {
  const auto writers = facts.accesses.writersOf(view);
  return writers && std::all_of(writers->begin(), writers->end(),
                                [&](const ProgramNode *writer) {
                                  const auto place = places.find(writer);
                                  return place != places.end() &&
                                         place->second < group;
                                });
}

// A link that makes a tensor of one other.
struct CheapMaker {
  std::size_t group;
  ChainLink &link;

  const StageOperands::Item &made() const { return link.items[0]; }
  const StageOperands::Item &from() const { return link.items[1]; }

  // True if only later links read what it makes, and its operands are still
  // there then.
  bool canWait(const std::vector<Group> &groups, const GroupPlaces &places,
               const FusionFacts &facts) const {
    return link.items.size() == 2 && !link.isAbsorbed && !link.vertices &&
           made().access == Access::write && from().access == Access::read &&
           made().offset != from().offset &&
           facts.accesses.areOnlyOf(made().view,
                                    [&](const ProgramNode &user) {
                                      const auto place = places.find(&user);
                                      return place != places.end() &&
                                             place->second >= group &&
                                             groups[place->second].chain;
                                    }) &&
           isDoneBefore(from().view, group, places, facts) &&
           std::all_of(link.wholes.begin(), link.wholes.end(),
                       [&](const StageOperands::Whole &whole) {
                         return isDoneBefore(whole.view, group, places, facts);
                       });
  }
};

struct MadeReader {
  ChainLink *link;
  std::size_t operand;
};

// Those that read what is made; empty if one cannot make it itself.
std::vector<MadeReader> readersOfMade(const CheapMaker &maker,
                                      std::vector<Group> &groups) {
  std::vector<MadeReader> readers;
  bool isMade = false;
  for (std::size_t group = maker.group; group < groups.size(); ++group) {
    if (!groups[group].chain)
      continue; // it is no user
    for (ChainLink &link : groups[group].chain->links) {
      if (&link == &maker.link) {
        isMade = true;
        continue;
      }
      for (std::size_t i = 0; i < link.items.size(); ++i) {
        const StageOperands::Item &item = link.items[i];
        if (item.view.blocks()[0].variable !=
                maker.made().view.blocks()[0].variable ||
            item.isUnread || (link.isAbsorbed && item.access == Access::read))
          continue;
        if (!isMade || link.vertices || link.isAbsorbed ||
            item.access != Access::read || item.offset != maker.made().offset ||
            item.bytes != maker.made().bytes ||
            !link.stage->canRemake(i, *maker.link.stage))
          return {};
        readers.push_back({&link, i});
      }
    }
  }
  return readers;
}

} // namespace

std::vector<Group> remakeWhatIsCheap(std::vector<Group> groups,
                                     const FusionFacts &facts) {
  if (!facts.settings.isOn(FusionPass::remake))
    return groups;
  const GroupPlaces places = placesOf(groups);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    if (!groups[group].chain)
      continue;
    for (ChainLink &link : groups[group].chain->links) {
      const CheapMaker maker{group, link};
      if (link.items.size() != 2 || !link.stage->isCheap() ||
          !maker.canWait(groups, places, facts))
        continue;
      const std::vector<MadeReader> readers = readersOfMade(maker, groups);
      for (const MadeReader &reader : readers) {
        reader.link->stage->remake(reader.operand, *link.stage);
        reader.link->items[reader.operand] = maker.from();
        if (facts.explanation.isOn())
          facts.explanation.fused(FusionPass::remake,
                                  textOf(*reader.link->node) +
                                      " makes again what " +
                                      textOf(*link.node) + " makes");
      }
      link.isAbsorbed = !readers.empty();
    }
  }
  return groups;
}

} // namespace ipumodel
