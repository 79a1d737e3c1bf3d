#include "poplar/run/print_tensor.hpp"

#include "poplar/values/element_text.hpp"

namespace ipumodel {

namespace {

class Printer {
public:
  Printer(std::ostream &out, const Shape &shape, const ElementText &elements,
          const poplar::PrintTensorFmt &format)
      : out_(out), shape_(shape), elements_(elements), format_(format),
        summarise_(product(shape) > format.summariseThreshold) {}

  // `column` is the column of the first character.
  void print(std::size_t column) {
    if (shape_.empty())
      out_ << elements_.at(0);
    else
      printDim(0, 0, column);
    out_ << '\n';
  }

private:
  // Prints the elements of one dimension, starting at the flat index `first`.
  void printDim(std::size_t dim, std::size_t first, std::size_t column) {
    if (dim + 1 == shape_.size())
      printRow(first, dim, column);
    else
      printRows(dim, first);
  }

  void printRows(std::size_t dim, std::size_t first) {
    out_ << format_.openBracket;
    std::size_t stride = 1;
    for (std::size_t inner = dim + 1; inner < shape_.size(); ++inner)
      stride *= shape_[inner];
    forEachShown(shape_[dim], [&](std::size_t i) {
      newLine(dim + 1);
      if (i == kEllipsis)
        out_ << "...";
      else
        printDim(dim + 1, first + i * stride, dim + 1);
    });
    if (shape_[dim] != 0)
      newLine(dim);
    out_ << format_.closeBracket;
  }

  void printRow(std::size_t first, std::size_t depth, std::size_t column) {
    out_ << format_.openBracket;
    const std::size_t indent = depth + 1;
    ++column;
    bool lineIsEmpty = true;
    forEachShown(shape_.back(), [&](std::size_t i) {
      const std::string text = i == kEllipsis ? "..." : elements_.at(first + i);
      // One more for the separator or bracket after it.
      if (!lineIsEmpty && column + 1 + text.size() + 1 > format_.maxLineWidth) {
        if (format_.separator != ' ')
          out_ << format_.separator;
        newLine(indent);
        column = indent;
        lineIsEmpty = true;
      }
      if (!lineIsEmpty) {
        out_ << format_.separator;
        ++column;
      }
      out_ << text;
      column += text.size();
      lineIsEmpty = false;
    });
    out_ << format_.closeBracket;
  }

  // Calls f for every index of a dimension, or for those at its edges, with
  // kEllipsis between them.
  template <class F> void forEachShown(std::size_t size, F &&f) {
    const std::size_t edge = format_.edgeItems;
    const bool skips = summarise_ && size > 2 * edge;
    const std::size_t head = skips ? edge : size;
    for (std::size_t i = 0; i < head; ++i)
      f(i);
    if (!skips)
      return;
    f(kEllipsis);
    for (std::size_t i = size - edge; i < size; ++i)
      f(i);
  }

  void newLine(std::size_t indent) { out_ << '\n' << std::string(indent, ' '); }

  static constexpr std::size_t kEllipsis = ~std::size_t(0);

  std::ostream &out_;
  const Shape &shape_;
  const ElementText &elements_;
  const poplar::PrintTensorFmt &format_;
  const bool summarise_;
};

} // namespace

void printTensor(std::ostream &out, const std::string &title,
                 const poplar::Type &type, const Shape &shape,
                 const void *elements, const poplar::PrintTensorFmt &format) {
  const std::string head = title.empty() ? "" : title + ": ";
  out << head;
  const ElementText text(type, elements, product(shape), format);
  Printer(out, shape, text, format).print(head.size());
}

} // namespace ipumodel
