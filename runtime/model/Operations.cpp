// The table of operations and the names of models and verdicts: everything that is a list of words.
#include "runtime/model/Program.h"

#include <algorithm>
#include <array>

namespace moac::model {

const std::vector<OpInfo> &allOperations() {
  using enum OpType;
  static const std::vector<OpInfo> table = {
      {"put", Put, "ll"},
      {"put_nbi", Put, "ll", true},
      {"p", Put, "le", false, true},
      {"get", Get, "ll"},
      {"get_nbi", Get, "ll", true},
      {"g", Get, "rl", false, true},
      {"set", AtomicSet, "le"},
      {"fetch", AtomicFetch, "rl", false, true},
      {"fetch_nbi", AtomicFetch, "ll", true},
      {"inc", AtomicRmw, "l"},
      {"add", AtomicRmw, "le"},
      {"and", AtomicRmw, "le", false, false, ExprOp::And},
      {"or", AtomicRmw, "le", false, false, ExprOp::Or},
      {"xor", AtomicRmw, "le", false, false, ExprOp::Xor},
      {"finc", AtomicRmw, "rl", false, true},
      {"fadd", AtomicRmw, "rle", false, true},
      {"fetch_and", AtomicRmw, "rle", false, true, ExprOp::And},
      {"fetch_or", AtomicRmw, "rle", false, true, ExprOp::Or},
      {"fetch_xor", AtomicRmw, "rle", false, true, ExprOp::Xor},
      {"swap", AtomicRmw, "rle", false, true, ExprOp::Add, true},
      {"finc_nbi", AtomicRmw, "ll", true},
      {"fadd_nbi", AtomicRmw, "lle", true},
      {"swap_nbi", AtomicRmw, "lle", true, false, ExprOp::Add, true},
      {"cswap", CompareSwap, "rlee", false, true},
      {"cswap_nbi", CompareSwap, "llee", true},
      {"put_signal", PutSignal, "lls"},
      {"put_signal_nbi", PutSignal, "lls", true},
      {"signal_set", SignalSet, "le"},
      {"signal_add", SignalAdd, "le"},
      {"signal_fetch", SignalFetch, "rl", false, true},
      {"wait", Wait, "c"},
      {"wait_all", WaitAll, "c"},
      {"wait_any", WaitAny, "rc"},
      {"test", Test, "rc"},
      {"set_lock", SetLock, "l"},
      {"test_lock", TestLock, "rl"},
      {"clear_lock", ClearLock, "l"},
      {"fence", Fence, ""},
      {"quiet", Quiet, ""},
      {"pe_quiet", Quiet, "e"},
      {"barrier", Barrier, ""},
      {"sync", Sync, ""},
      {"alltoall", Alltoall, "ll"},
      {"broadcast", Broadcast, "lle"},
      {"fcollect", Fcollect, "ll"},
      {"reduce", Reduce, "ll"},
      {"reducescatter", ReduceScatter, "ll"},
  };
  return table;
}

const OpInfo *findOperation(std::string_view mnemonic) {
  for (const OpInfo &info : allOperations())
    if (info.mnemonic == mnemonic)
      return &info;
  return nullptr;
}

namespace {

constexpr std::array<std::string_view, 4> modelNames = {"paper", "c11", "c11q", "comid"};
constexpr std::array<std::string_view, 8> verdictNames = {
    "race-free", "racy", "allowed", "forbidden", "holds", "violated", "blocked", "may-block"};
constexpr std::string_view returnLcoSuffix = "+ret-lco";

} // namespace

std::optional<Model> parseModel(std::string_view text) {
  Model model;
  if (text.ends_with(returnLcoSuffix)) {
    model.returnLco = true;
    text.remove_suffix(returnLcoSuffix.size());
  }
  auto found = std::find(modelNames.begin(), modelNames.end(), text);
  if (found == modelNames.end())
    return std::nullopt;
  model.kind = static_cast<ModelKind>(found - modelNames.begin());
  return model;
}

std::string modelName(const Model &model) {
  std::string name(modelNames[static_cast<size_t>(model.kind)]);
  return model.returnLco ? name + std::string(returnLcoSuffix) : name;
}

std::string_view verdictName(VerdictKind verdict) {
  return verdictNames[static_cast<size_t>(verdict)];
}

std::optional<VerdictKind> parseVerdict(std::string_view text) {
  auto found = std::find(verdictNames.begin(), verdictNames.end(), text);
  if (found == verdictNames.end())
    return std::nullopt;
  return static_cast<VerdictKind>(found - verdictNames.begin());
}

int64_t applyOperator(ExprOp op, int64_t lhs, int64_t rhs) {
  auto l = static_cast<uint64_t>(lhs), r = static_cast<uint64_t>(rhs);
  bool undefined = rhs == 0 || (rhs == -1 && lhs == INT64_MIN);
  switch (op) {
  case ExprOp::Add:
    return static_cast<int64_t>(l + r);
  case ExprOp::Sub:
    return static_cast<int64_t>(l - r);
  case ExprOp::Mul:
    return static_cast<int64_t>(l * r);
  case ExprOp::Div:
    return undefined ? 0 : lhs / rhs;
  case ExprOp::Mod:
    return undefined ? 0 : lhs % rhs;
  case ExprOp::And:
    return lhs & rhs;
  case ExprOp::Or:
    return lhs | rhs;
  case ExprOp::Xor:
    return lhs ^ rhs;
  case ExprOp::Eq:
    return lhs == rhs;
  case ExprOp::Ne:
    return lhs != rhs;
  case ExprOp::Lt:
    return lhs < rhs;
  case ExprOp::Le:
    return lhs <= rhs;
  case ExprOp::Gt:
    return lhs > rhs;
  case ExprOp::Ge:
    return lhs >= rhs;
  case ExprOp::LogicalAnd:
    return lhs && rhs;
  case ExprOp::LogicalOr:
    return lhs || rhs;
  case ExprOp::Neg:
    return static_cast<int64_t>(0 - l);
  case ExprOp::Not:
    return !lhs;
  }
  return 0;
}

} // namespace moac::model
