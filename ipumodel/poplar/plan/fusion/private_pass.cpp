#include "poplar/graph/graph_impl.hpp"
#include "poplar/plan/fusion/chain.hpp"

namespace ipumodel {

namespace {

// Empty if the tensor can be private.
std::string whyStored(const Chain &chain, const View &view,
                      const VariableAccesses &accesses) {
  std::size_t first = 0; // link after the one that makes it
  bool writes = false;
  for (; first < chain.links.size() && !writes; ++first) {
    for (const StageOperands::Whole &whole : chain.links[first].wholes)
      if (shareVariables(whole.view, view))
        return "an operation of the chain needs all items";
    bool reads = false;
    for (const StageOperands::Item &item : chain.links[first].items)
      if (shareVariables(item.view, view))
        (item.access == Access::write ? writes : reads) = true;
    if (reads)
      return "the chain reads what was there before";
  }
  std::vector<const ProgramNode *> nodes;
  for (const ChainLink &link : chain.links)
    nodes.push_back(link.node);
  for (const Chain::Skipped &skipped : chain.skipped)
    if (skipped.position >= first)
      nodes.push_back(skipped.node);
  return writes && accesses.areOnlyOf(nodes, view)
             ? ""
             : "not only the chain uses it";
}

} // namespace

Chain keepPrivate(Chain chain, const FusionFacts &facts) {
  if (!facts.settings.isOn(FusionPass::privateTensor) || chain.links.size() < 2)
    return chain;
  std::set<std::size_t> known;
  for (const ChainLink &link : chain.links)
    for (const StageOperands::Item &item : link.items) {
      if (!known.insert(item.offset).second)
        continue;
      const std::string reason = whyStored(chain, item.view, facts.accesses);
      if (reason.empty())
        chain.privates.insert(item.offset);
      if (!facts.explanation.isOn() || item.access == Access::read)
        continue;
      const std::string name =
          '\'' + nameOf(facts.graph, item.view.blocks()[0].variable) + '\'';
      if (reason.empty())
        facts.explanation.fused(FusionPass::privateTensor,
                                name + " of " + textOf(*link.node) +
                                    " is not stored");
      else
        facts.explanation.notFused(FusionPass::privateTensor,
                                   name + " of " + textOf(*link.node) + ": " +
                                       reason);
    }
  return chain;
}

} // namespace ipumodel
