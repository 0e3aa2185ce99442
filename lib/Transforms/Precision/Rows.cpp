//===- Rows.cpp - the table of types by operation -------------------------===//
//
// Narrow is what is mostly products or only scales values. Float32 is what
// adds up many values, spreads them by an exponential, or loses all digits near
// a point (exp, log, powers, roots, sines).
//
//===----------------------------------------------------------------------===//

#include "Rows.h"
#include "dialects/Nn/Edges.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Held.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "dialects/Nn/Windows.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::precision;

/// Rounding what is compared would change the result all at once.
static bool isWide(nn::UnaryKind kind) {
  switch (kind) {
  case nn::UnaryKind::Exp:
  case nn::UnaryKind::Log:
  case nn::UnaryKind::Sqrt:
  case nn::UnaryKind::Rsqrt:
  case nn::UnaryKind::Erf:
  case nn::UnaryKind::Sin:
  case nn::UnaryKind::Cos:
    return true;
  case nn::UnaryKind::Gelu:
  case nn::UnaryKind::GeluTanh:
  case nn::UnaryKind::Silu:
  case nn::UnaryKind::Relu:
  case nn::UnaryKind::Sigmoid:
  case nn::UnaryKind::Tanh:
  case nn::UnaryKind::Abs:
  case nn::UnaryKind::Neg:
  case nn::UnaryKind::Not:
    return false;
  }
  llvm_unreachable("an enumerator");
}

static bool isWide(nn::BinaryKind kind) {
  switch (kind) {
  case nn::BinaryKind::Pow:
  case nn::BinaryKind::Eq:
  case nn::BinaryKind::Ne:
  case nn::BinaryKind::Lt:
  case nn::BinaryKind::Le:
  case nn::BinaryKind::Gt:
  case nn::BinaryKind::Ge:
    return true;
  case nn::BinaryKind::Add:
  case nn::BinaryKind::Sub:
  case nn::BinaryKind::Mul:
  case nn::BinaryKind::Div:
  case nn::BinaryKind::Maximum:
  case nn::BinaryKind::Minimum:
  case nn::BinaryKind::And:
  case nn::BinaryKind::Or:
    return false;
  }
  llvm_unreachable("an enumerator");
}

/// What attends on a GPU multiplies narrow operands on tensor cores and keeps
/// scores, their bias, sums and lse in f32; on a CPU, products of f32 are the
/// fastest.
static Row rowOfAttention(nn::Target target) {
  return target == nn::Target::Cuda ? Row::Narrow : Row::Rounded;
}

Row precision::rowOf(Operation *op, nn::Target target) {
  return TypeSwitch<Operation *, Row>(op)
      .Case<nn::ParameterOp, nn::StateOp, nn::FillOp, nn::IotaOp, nn::CastOp>(
          [](auto) { return Row::Source; })
      .Case<nn::LinearOp, nn::MatMulOp>([](auto) { return Row::Product; })
      .Case<nn::RotaryOp, nn::EmbeddingOp>([](auto) { return Row::Narrow; })
      .Case<nn::AttentionOp, nn::AttentionGradOp>(
          [&](auto) { return rowOfAttention(target); })
      .Case<nn::NeighborhoodAttentionOp, nn::NeighborhoodAttentionGradOp,
            nn::LayerNormOp, nn::RmsNormOp>([](auto) { return Row::Rounded; })
      .Case([](nn::ReduceOp op) {
        bool picks = op.getKind() == nn::ReduceKind::Max ||
                     op.getKind() == nn::ReduceKind::Min;
        return picks ? Row::Like : Row::Wide;
      })
      .Case<nn::UnaryOp, nn::BinaryOp>(
          [](auto op) { return isWide(op.getKind()) ? Row::Wide : Row::Like; })
      .Case<nn::ExchangeOp>([](auto) { return Row::View; })
      .Case<nn::WhereOp, nn::DropoutOp, nn::ConcatOp, nn::PadOp, nn::GatherOp>(
          [](auto) { return Row::Like; })
      .Case<nn::ValueOp, nn::RedistributeOp, nn::RearrangeOp, nn::SliceOp,
            nn::BroadcastOp, nn::HoldOp>([](auto) { return Row::View; })
      .Default([](Operation *) { return Row::Wide; });
}
