// Rewrites expressions to cheaper ones. The results may differ in the last bit,
// as in PopLibs, which rewrites the same patterns.
#pragma once

#include <popops/Expr.hpp>

#include <memory>
#include <vector>

namespace ipumodel {

// Pow with an exponent of 0.5, -0.5, 1, -1 or 2; division of and remainder by
// unsigned powers of two; operations with a neutral constant; Select with a
// constant condition. `operands` are the types of the placeholders.
std::unique_ptr<popops::expr::Expr>
rewriteExpr(const popops::expr::Expr &expr,
            const std::vector<poplar::Type> &operands);

} // namespace ipumodel
