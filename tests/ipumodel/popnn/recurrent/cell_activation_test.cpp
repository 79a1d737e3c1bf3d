// Activations that cells can have as long as nobody wants their gradients.
#include "tests/ipumodel/popnn/recurrent/recurrent_case.hpp"

#include <popnn/Gru.hpp>
#include <popnn/Lstm.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplibstest;
namespace gru = popnn::gru;
namespace lstm = popnn::lstm;

namespace {

// As for LSTMs.
constexpr Tolerance kFloatCell{2e-5, 2e-5};
constexpr Tolerance kHalfCell{0x1p-6, 0x1p-6};

// The first three units.
ReferenceArray threeOf(const ReferenceArray &four) {
  ReferenceArray three = four;
  three.shape[0] = 3;
  three.floats.resize(four.floats.size() / 4 * 3);
  return three;
}

struct Cells {
  Cells(const ReferenceCase &c, const Type &type)
      : x(m.input(type, c.array("x"))), h(m.input(type, c.array("h0"))),
        c0(m.input(type, c.array("c0"))), w(m.input(type, c.array("w"))),
        u(m.input(type, c.array("u"))),
        b(m.input(type, c.array("b"))), sizes{x.dim(2), h.dim(1)},
        activation(activationOf(c.text("activation"))),
        recurrent(activationOf(c.text("recurrent"))),
        lstmParams(type, x.dim(1), x.dim(0), sizes, activation, recurrent),
        gruParams(type, x.dim(1), x.dim(0), sizes, activation, recurrent),
        gruArrays{threeOf(c.array("w")), threeOf(c.array("u")),
                  threeOf(c.array("b"))},
        gruWeights{m.input(type, gruArrays[0]), m.input(type, gruArrays[1]),
                   m.input(type, gruArrays[2])} {}

  OperatorModel m;
  Tensor x, h, c0, w, u, b;
  std::vector<std::size_t> sizes;
  popnn::NonLinearityType activation, recurrent;
  lstm::LstmParams lstmParams;
  gru::GruParams gruParams;
  std::vector<ReferenceArray> gruArrays; // the model keeps pointers to them
  gru::GruWeights gruWeights;
};

} // namespace

TEST(CellActivation, GeluAndSwishMatchPyTorch) {
  const std::vector<ReferenceCase> cases = references("cells");
  EXPECT_EQ(cases.size(), 8u);
  for (const auto &[type, tolerance] :
       {std::make_pair(FLOAT, kFloatCell), {HALF, kHalfCell}})
    for (const ReferenceCase &c : cases) {
      Cells cells(c, type);
      OperatorModel &m = cells.m;
      m.expect(lstm::lstmFwd(m.graph, cells.lstmParams, {cells.h, cells.c0},
                             cells.x, {cells.w, cells.u, cells.b}, nullptr,
                             m.prog)
                   .first,
               c.array("lstm"), tolerance, "lstm");
      m.expect(gru::gruFwd(m.graph, cells.gruParams, cells.h, cells.x,
                           cells.gruWeights, nullptr, m.prog),
               c.array("gru"), tolerance, "gru");
      m.run();
    }
}

TEST(CellActivation, GradientsOfGeluAreRefused) {
  const std::vector<ReferenceCase> cases = references("cells");
  Cells cells(cases[0], FLOAT);
  OperatorModel &m = cells.m;
  const lstm::LstmWeights weights{cells.w, cells.u, cells.b};
  const lstm::LstmState state{cells.h, cells.c0};
  Tensor kept, keptByGru, dx;
  const Tensor y = lstm::lstmFwd(m.graph, cells.lstmParams, state, cells.x,
                                 weights, &kept, m.prog)
                       .first;
  gru::gruFwd(m.graph, cells.gruParams, cells.h, cells.x, cells.gruWeights,
              &keptByGru, m.prog);
  const auto complaint = [](const auto &call) -> std::string {
    try {
      call();
    } catch (const poputil::poplibs_error &error) {
      return error.what();
    }
    return "";
  };
  const std::string reason =
      ": cells with GELU, GELU_ERF or SWISH have no gradients, as these are "
      "not known from the activations' results";
  EXPECT_EQ(complaint([&] {
              lstm::lstmBwd(m.graph, cells.lstmParams, m.prog, state, kept,
                            weights, cells.x, y, y,
                            static_cast<const Tensor *>(nullptr), &dx, nullptr);
            }),
            "lstmBwd" + reason);
  EXPECT_EQ(complaint([&] {
              gru::gruBwd(m.graph, cells.gruParams, m.prog, cells.h, keptByGru,
                          cells.gruWeights, cells.x, y, y, &dx, nullptr, {}, {},
                          nullptr);
            }),
            "gruBwd" + reason);
}
