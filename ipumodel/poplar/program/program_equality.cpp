#include "poplar/program/program_node.hpp"

#include <poplar/Program.hpp>

#include <algorithm>

namespace ipumodel {

namespace {

bool sameTensor(const TensorPtr &a, const TensorPtr &b) {
  return a == b ||
         (a->graph == b->graph && a->type == b->type && a->view == b->view);
}

bool sameTensors(const std::vector<TensorPtr> &a,
                 const std::vector<TensorPtr> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), sameTensor);
}

bool sameFormat(const poplar::PrintTensorFmt &a,
                const poplar::PrintTensorFmt &b) {
  return a.summariseThreshold == b.summariseThreshold &&
         a.edgeItems == b.edgeItems && a.maxLineWidth == b.maxLineWidth &&
         a.digits == b.digits && a.floatFormat == b.floatFormat &&
         a.separator == b.separator && a.openBracket == b.openBracket &&
         a.closeBracket == b.closeBracket;
}

bool sameOp(const std::shared_ptr<const NativeOp> &a,
            const std::shared_ptr<const NativeOp> &b) {
  if (a == b)
    return true;
  return a && b && *a->what == *b->what &&
         sameTensors(a->outputs, b->outputs) &&
         sameTensors(a->inputs, b->inputs);
}

bool sameNode(const ProgramPtr &a, const ProgramPtr &b) {
  if (a == b)
    return true;
  return a->kind == b->kind && a->noCase == b->noCase && a->id == b->id &&
         a->count == b->count && a->graph == b->graph && a->text == b->text &&
         a->cases == b->cases && a->replicaMap == b->replicaMap &&
         sameFormat(a->format, b->format) && sameOp(a->op, b->op) &&
         sameTensors(a->tensors, b->tensors) &&
         std::equal(a->children.begin(), a->children.end(), b->children.begin(),
                    b->children.end(), sameNode);
}

} // namespace

} // namespace ipumodel

namespace poplar {
namespace program {

// Programs are equal if they do the same; names are not compared.
bool operator==(const Program &a, const Program &b) {
  return ipumodel::sameNode(a.getImpl(), b.getImpl());
}

bool operator!=(const Program &a, const Program &b) { return !(a == b); }

} // namespace program
} // namespace poplar
