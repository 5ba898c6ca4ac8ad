// Finds sample points by assigning one name after the other, symbols first, then ranges in nesting
// order, and checking each fact as soon as all its names have values.
#include "ir/ShapeModels.h"

namespace moac::shape {

namespace {

constexpr size_t wantedModels = 8;
constexpr int maxAttempts = 40, triesPerName = 6;

/// A small generator with a fixed seed, the same on every platform.
class Dice {
public:
  int64_t roll(int64_t sides) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(sides));
  }

private:
  uint64_t state = 42;
};

std::optional<int64_t> atomValue(AtomRef atom, const Model &model) {
  if (auto it = model.find(atom); it != model.end())
    return it->second;
  if (atom->kind == AtomKind::Name)
    return static_cast<int64_t>((atom->hash ^ model.size()) % 23) - 7;
  std::optional<int64_t> result;
  for (const Expr &arg : atom->args) {
    std::optional<int64_t> v = valueAt(arg, model);
    if (!v || *v == INT64_MIN)
      return std::nullopt;
    if (!result)
      result = v;
    else if (atom->kind == AtomKind::Min || atom->kind == AtomKind::Max)
      result = atom->kind == AtomKind::Min ? std::min(*result, *v) : std::max(*result, *v);
    else if (*v == 0)
      return std::nullopt;
    else
      result = atom->kind == AtomKind::Mod ? floorModulo(*result, *v) : floorDivide(*result, *v);
  }
  return result;
}

/// One name in sampling order with the facts that become checkable when it has a value.
struct Step {
  AtomRef name;
  const SampleRange *range;
  int64_t least;
  std::vector<const Expr *> checks;
};

std::vector<Step> plan(const std::vector<SampleRange> &ranges, const std::vector<Expr> &facts) {
  std::set<std::string> symbols;
  auto collect = [&](const Expr &e) { symbols.merge(e.names()); };
  for (const Expr &f : facts)
    collect(f);
  for (const SampleRange &r : ranges)
    collect(r.lo), collect(r.hi);
  for (const SampleRange &r : ranges)
    symbols.erase(r.name);
  std::vector<Step> steps;
  for (const std::string &s : symbols)
    steps.push_back({asAtom(Expr::name(s)), nullptr, 0, {}});
  for (const SampleRange &r : ranges)
    steps.push_back({asAtom(Expr::name(r.name)), &r, 0, {}});
  for (const Expr &f : facts) {
    size_t last = steps.size();
    while (last > 0 && !f.mentions(steps[last - 1].name->name))
      --last;
    if (last == 0)
      continue;
    Step &step = steps[last - 1];
    step.checks.push_back(&f);
    int64_t c = constantTerm(f);
    if (c < 0 && f - Expr(c) == step.name->self)
      step.least = std::max(step.least, -c);
  }
  return steps;
}

std::optional<int64_t> propose(const Step &step, const Model &model, size_t number, Dice &dice) {
  if (!step.range)
    return step.least + dice.roll(int64_t(2) << dice.roll(4));
  std::optional<int64_t> lo = valueAt(step.range->lo, model), hi = valueAt(step.range->hi, model);
  if (!lo || !hi || *hi <= *lo || *hi - *lo < 0)
    return std::nullopt;
  if (number % 4 == 0) // the corners of the domain refute most
    return *hi - 1;
  return number % 4 == 1 ? *lo : *lo + dice.roll(*hi - *lo);
}

bool assign(const Step &step, Model &model, size_t number, Dice &dice) {
  for (int k = 0; k < triesPerName; ++k) {
    std::optional<int64_t> value = propose(step, model, number + static_cast<size_t>(k), dice);
    if (!value)
      return false;
    model[step.name] = *value;
    bool ok = true;
    for (const Expr *check : step.checks)
      ok = ok && valueAt(*check, model).value_or(-1) >= 0;
    if (ok)
      return true;
  }
  return false;
}

} // namespace

std::optional<int64_t> valueAt(const Expr &e, const Model &model) {
  int64_t sum = 0;
  for (const Term &t : e.node().terms) {
    int64_t product = t.coefficient;
    for (AtomRef f : t.factors) {
      std::optional<int64_t> v = atomValue(f, model);
      if (!v || __builtin_mul_overflow(product, *v, &product))
        return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum))
      return std::nullopt;
  }
  return sum;
}

std::vector<Model> sampleModels(const std::vector<SampleRange> &ranges,
                                const std::vector<Expr> &facts) {
  std::vector<Step> steps = plan(ranges, facts);
  std::vector<Model> models;
  Dice dice;
  for (int attempt = 0; attempt < maxAttempts && models.size() < wantedModels; ++attempt) {
    Model model;
    bool ok = true;
    for (size_t k = 0; ok && k < steps.size(); ++k)
      ok = assign(steps[k], model, models.size(), dice);
    if (ok)
      models.push_back(std::move(model));
  }
  return models;
}

} // namespace moac::shape
