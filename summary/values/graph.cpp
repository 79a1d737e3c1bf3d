#include "summary/values/graph.hpp"

#include "summary/encoding/serialize.hpp"
#include "summary/encoding/utf8.hpp"
#include "summary/proto/graph.pb.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <stdexcept>

namespace popscope::summary {
namespace {

[[noreturn]] void reject(const std::string &node, const std::string &why) {
  throw std::invalid_argument("[summary] graph node \"" + node + "\" " + why);
}

// The page has its own line parser for text format, which accepts only names of
// this form.
void checkName(const std::string &name) {
  const auto isPlain = [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) || c == '.');
  };
  const auto isAllowed = [&](unsigned char c) {
    return isPlain(c) || c == '_' || c == '/' || c == '-' || c == '>' ||
           c == '\\';
  };
  if (name.empty() || !isPlain(static_cast<unsigned char>(name[0])) ||
      !std::all_of(name.begin(), name.end(), isAllowed))
    reject(name, "has a name that is not of the form "
                 "[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*");
}

void checkPrintable(const std::string &node, const std::string &text) {
  for (const char c : text)
    if (c < 0x20 || c > 0x7e || c == '"')
      reject(node, "has an op or device with characters other than printable "
                   "ASCII without quotes");
}

std::string nodeOf(const std::string &input) {
  return input.substr(0, input.find(':'));
}

template <class Nodes> std::set<std::string> uniqueNames(const Nodes &nodes) {
  if (nodes.empty())
    throw std::invalid_argument("[summary] a graph needs at least one node");
  std::set<std::string> names;
  for (const auto &node : nodes) {
    checkName(node.name);
    if (!names.insert(node.name).second)
      reject(node.name, "is in the graph twice");
  }
  return names;
}

void checkInput(const std::set<std::string> &names, const std::string &node,
                const std::string &input) {
  if (names.count(nodeOf(input)) == 0)
    reject(node, "has the input \"" + input + "\", which is not in the graph");
}

void setShape(proto::TensorShapeProto &message, const Shape &shape) {
  for (const std::int64_t size : shape)
    message.add_dim()->set_size(size);
}

struct AttributeSetter {
  proto::AttrValue &value;

  void operator()(bool b) const { value.set_b(b); }
  void operator()(std::int64_t i) const { value.set_i(i); }
  void operator()(float f) const { value.set_f(f); }
  void operator()(const std::string &s) const { value.set_s(s); }
  void operator()(const Shape &shape) const {
    setShape(*value.mutable_shape(), shape);
  }
};

std::string quoted(const std::string &text) { return '"' + text + '"'; }

// As tf.keras writes a model that is not a plain chain: each layer names the
// outputs it takes. Names were checked, so they need no escapes.
std::string inboundNodes(const ModelLayer &layer) {
  if (layer.inputs.empty())
    return "[]";
  std::string tensors;
  for (const std::string &input : layer.inputs) {
    if (!tensors.empty())
      tensors += ',';
    tensors +=
        R"({"class_name":"__keras_tensor__","config":{"keras_history":[)" +
        quoted(input) + ",0,0]}}";
  }
  return R"([{"args":[[)" + tensors + R"(]],"kwargs":{}}])";
}

std::string layerReferences(const std::vector<std::string> &names) {
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "[" : ",[") + quoted(name) + ",0,0]";
  return '[' + list + ']';
}

} // namespace

std::string toGraphDef(const GraphDescription &graph) {
  const auto names = uniqueNames(graph.nodes);
  proto::GraphDef message;
  for (const GraphNode &node : graph.nodes) {
    checkPrintable(node.name, node.op);
    checkPrintable(node.name, node.device);
    auto *def = message.add_node();
    def->set_name(node.name);
    def->set_op(node.op);
    def->set_device(node.device);
    for (const std::string &input : node.inputs) {
      checkInput(names, node.name, input);
      def->add_input(input);
    }
    for (const std::string &input : node.controlInputs) {
      checkInput(names, node.name, input);
      def->add_input('^' + input);
    }
    auto &attributes = *def->mutable_attr();
    for (const auto &[key, attribute] : node.attributes)
      std::visit(AttributeSetter{attributes[toUtf8(key)]}, attribute);
    for (const Shape &shape : node.outputShapes)
      setShape(*attributes["_output_shapes"].mutable_list()->add_shape(),
               shape);
  }
  return serialize(message);
}

Value toValue(const LayerGraph &model) {
  checkName(model.name);
  const auto names = uniqueNames(model.layers);
  std::set<std::string> consumed;
  for (const ModelLayer &layer : model.layers) {
    checkPrintable(layer.name, layer.kind);
    for (const std::string &input : layer.inputs) {
      checkInput(names, layer.name, input);
      consumed.insert(input);
    }
  }
  const bool isChain = consumed.empty();
  std::vector<std::string> inputs, outputs;
  std::string layers;
  for (const ModelLayer &layer : model.layers) {
    layers += layers.empty() ? "" : ",";
    layers += R"({"class_name":)" + quoted(layer.kind) +
              R"(,"config":{"name":)" + quoted(layer.name) + '}';
    if (!isChain) {
      layers += R"(,"inbound_nodes":)" + inboundNodes(layer);
      if (layer.inputs.empty())
        inputs.push_back(layer.name);
      if (consumed.count(layer.name) == 0)
        outputs.push_back(layer.name);
    }
    layers += '}';
  }
  std::string json = R"({"class_name":)" +
                     quoted(isChain ? "Sequential" : "Functional") +
                     R"(,"config":{"name":)" + quoted(model.name) +
                     R"(,"layers":[)" + layers + ']';
  if (!isChain)
    json += R"(,"input_layers":)" + layerReferences(inputs) +
            R"(,"output_layers":)" + layerReferences(outputs);
  json += "}}";
  return toValue(StringTensor{{}, {json}}, {"graph_keras_model", "1", {}, {}});
}

} // namespace popscope::summary
