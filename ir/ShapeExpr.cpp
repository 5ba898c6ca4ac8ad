// The polynomial layer of Expr: sums of monomials in canonical order, and walks over them.
//
// Addition merges sorted term lists, multiplication distributes. Everything that could overflow 64
// bits or outgrow the limits below yields a poisoned expression instead; no operation here fails
// otherwise.
#include "ir/ShapeNode.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_set>

namespace moac::shape {

namespace {

constexpr size_t maxTerms = 256, maxProducts = 8192;
constexpr uint32_t maxWeight = 20000, maxDepth = 40;

size_t mix(size_t seed, size_t value) {
  return (seed ^ value) * 0x9e3779b97f4a7c15u + (seed >> 29) + 0x7f4a7c15u;
}

size_t hashText(std::string_view text) {
  size_t h = 0xcbf29ce484222325u;
  for (unsigned char c : text)
    h = (h ^ c) * 0x100000001b3u;
  return h ^ (h >> 31);
}

/// Takes terms that are sorted, distinct and non-zero.
Expr fromSorted(std::vector<Term> terms) {
  auto node = std::make_shared<Expr::Node>();
  if (terms.size() > maxTerms)
    return poisonedExpr();
  size_t weight = 0;
  for (const Term &t : terms) {
    if (t.coefficient == INT64_MIN)
      return poisonedExpr();
    node->hash = mix(node->hash, static_cast<size_t>(t.coefficient));
    ++weight;
    for (const AtomRef &f : t.factors) {
      node->hash = mix(node->hash, f->hash);
      node->mask |= f->mask;
      node->depth = std::max(node->depth, f->depth);
      weight += f->weight;
    }
  }
  if (weight > maxWeight || node->depth > maxDepth)
    return poisonedExpr();
  node->weight = static_cast<uint32_t>(weight);
  node->terms = std::move(terms);
  return Expr(std::shared_ptr<const Expr::Node>(std::move(node)));
}

const Expr &zero() {
  static const Expr value = fromSorted({});
  return value;
}

struct AtomHash {
  size_t operator()(const std::unique_ptr<Atom> &a) const { return a->hash; }
};

struct AtomEqual {
  bool operator()(const std::unique_ptr<Atom> &a, const std::unique_ptr<Atom> &b) const {
    return a->hash == b->hash && compare(*a, *b) == 0;
  }
};

/// The one atom equal to `atom`. Kept for ever: a program has few different ones.
AtomRef unique(Atom atom) {
  static std::mutex mutex;
  static auto &atoms = *new std::unordered_set<std::unique_ptr<Atom>, AtomHash, AtomEqual>();
  auto candidate = std::make_unique<Atom>(std::move(atom));
  std::lock_guard<std::mutex> lock(mutex);
  auto [it, isNew] = atoms.insert(std::move(candidate));
  Atom &kept = **it;
  if (isNew) {
    std::vector<Term> terms(1);
    terms[0].coefficient = 1;
    terms[0].factors.push_back(&kept);
    kept.self = fromSorted(std::move(terms));
  }
  return &kept;
}

/// a + sign * b over sorted lists.
Expr merge(const Expr &a, const Expr &b, int64_t sign) {
  const auto &ta = a.node().terms, &tb = b.node().terms;
  std::vector<Term> out;
  out.reserve(ta.size() + tb.size());
  size_t i = 0, j = 0;
  while (i < ta.size() || j < tb.size()) {
    int order = i == ta.size() ? 1 : j == tb.size() ? -1 : compare(ta[i].factors, tb[j].factors);
    if (order < 0) {
      out.push_back(ta[i++]);
      continue;
    }
    int64_t c = sign * tb[j].coefficient; // coefficients are never INT64_MIN
    if (order == 0 && __builtin_add_overflow(c, ta[i++].coefficient, &c))
      return poisonedExpr();
    if (c != 0)
      out.push_back({c, tb[j].factors});
    ++j;
  }
  return fromSorted(std::move(out));
}

} // namespace

uint64_t nameBit(std::string_view name) { return uint64_t(1) << (hashText(name) & 63); }

int64_t floorDivide(int64_t a, int64_t b) {
  int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

int64_t floorModulo(int64_t a, int64_t b) {
  int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

Expr poisonedExpr() {
  static std::atomic<uint64_t> count{0};
  auto node = std::make_shared<Expr::Node>();
  node->poison = ++count;
  node->hash = mix(0x5bd1e995u, node->poison);
  return Expr(std::shared_ptr<const Expr::Node>(std::move(node)));
}

Expr fromTerms(std::vector<Term> terms) {
  std::sort(terms.begin(), terms.end(),
            [](const Term &a, const Term &b) { return compare(a.factors, b.factors) < 0; });
  std::vector<Term> out;
  out.reserve(terms.size());
  for (Term &t : terms) {
    if (out.empty() || !(out.back().factors == t.factors))
      out.push_back(std::move(t));
    else if (__builtin_add_overflow(out.back().coefficient, t.coefficient, &out.back().coefficient))
      return poisonedExpr();
  }
  std::erase_if(out, [](const Term &t) { return t.coefficient == 0; });
  return fromSorted(std::move(out));
}

Expr makeAtom(AtomKind kind, std::vector<Expr> args) {
  Atom atom{kind, "", {}, Expr(), mix(0x51ed270b, static_cast<size_t>(kind)), 0, 1, 0};
  size_t weight = 1;
  for (const Expr &a : args) {
    if (a.poisoned())
      return poisonedExpr();
    atom.hash = mix(atom.hash, a.hash());
    atom.mask |= a.node().mask;
    atom.depth = std::max(atom.depth, a.node().depth + 1);
    weight += a.node().weight;
  }
  if (weight > maxWeight || atom.depth > maxDepth)
    return poisonedExpr();
  atom.weight = static_cast<uint32_t>(weight);
  atom.args = std::move(args);
  return unique(std::move(atom))->self;
}

int compare(const Atom &a, const Atom &b) {
  if (&a == &b)
    return 0;
  if (a.kind != b.kind)
    return a.kind < b.kind ? -1 : 1;
  if (a.kind == AtomKind::Name)
    return a.name.compare(b.name);
  for (size_t k = 0; k < std::min(a.args.size(), b.args.size()); ++k)
    if (int order = compare(a.args[k], b.args[k]))
      return order;
  return a.args.size() == b.args.size() ? 0 : a.args.size() < b.args.size() ? -1 : 1;
}

int compare(const Factors &a, const Factors &b) {
  if (a.size() != b.size())
    return a.size() > b.size() ? -1 : 1; // higher degree first
  for (size_t k = 0; k < a.size(); ++k)
    if (a[k] != b[k])
      if (int order = compare(*a[k], *b[k]))
        return order;
  return 0;
}

int compare(const Expr &a, const Expr &b) {
  const Expr::Node &x = a.node(), &y = b.node();
  if (&x == &y)
    return 0;
  if (x.poison != y.poison)
    return x.poison < y.poison ? -1 : 1;
  for (size_t k = 0; k < std::min(x.terms.size(), y.terms.size()); ++k) {
    if (int order = compare(x.terms[k].factors, y.terms[k].factors))
      return order;
    if (x.terms[k].coefficient != y.terms[k].coefficient)
      return x.terms[k].coefficient < y.terms[k].coefficient ? -1 : 1;
  }
  return x.terms.size() == y.terms.size() ? 0 : x.terms.size() < y.terms.size() ? -1 : 1;
}

Expr::Expr() : Expr(zero()) {}

Expr::Expr(int64_t value) : impl(zero().impl) {
  if (value == 0)
    return;
  std::vector<Term> terms(1);
  terms[0].coefficient = value;
  impl = fromSorted(std::move(terms)).impl;
}

Expr Expr::name(std::string_view name) {
  return unique(
             {AtomKind::Name, std::string(name), {}, Expr(), hashText(name), nameBit(name), 1, 0})
      ->self;
}

bool Expr::poisoned() const { return impl->poison != 0; }
size_t Expr::hash() const { return impl->hash; }

std::optional<int64_t> Expr::constant() const {
  if (poisoned())
    return std::nullopt;
  if (impl->terms.empty())
    return 0;
  if (impl->terms.size() == 1 && impl->terms[0].factors.empty())
    return impl->terms[0].coefficient;
  return std::nullopt;
}

AtomRef asAtom(const Expr &e) {
  const auto &terms = e.node().terms;
  bool one = terms.size() == 1 && terms[0].coefficient == 1 && terms[0].factors.size() == 1;
  return one ? terms[0].factors[0] : nullptr;
}

int64_t constantTerm(const Expr &e) {
  const auto &terms = e.node().terms;
  return !terms.empty() && terms.back().factors.empty() ? terms.back().coefficient : 0;
}

std::optional<std::string> Expr::asName() const {
  const Atom *atom = asAtom(*this);
  if (!atom || atom->kind != AtomKind::Name)
    return std::nullopt;
  return atom->name;
}

Expr operator+(const Expr &a, const Expr &b) {
  if (a.poisoned())
    return a;
  if (b.poisoned())
    return b;
  return merge(a, b, 1);
}

Expr operator-(const Expr &a, const Expr &b) {
  if (a.poisoned())
    return a;
  if (b.poisoned())
    return b;
  return merge(a, b, -1);
}

Expr operator-(const Expr &a) { return a.poisoned() ? a : merge(zero(), a, -1); }

Expr operator*(const Expr &a, const Expr &b) {
  if (a.poisoned())
    return a;
  if (b.poisoned())
    return b;
  const auto &ta = a.impl->terms, &tb = b.impl->terms;
  if (ta.size() * tb.size() > maxProducts)
    return poisonedExpr();
  std::vector<Term> out;
  out.reserve(ta.size() * tb.size());
  for (const Term &x : ta)
    for (const Term &y : tb) {
      Term t;
      if (__builtin_mul_overflow(x.coefficient, y.coefficient, &t.coefficient))
        return poisonedExpr();
      if (x.factors.size() + y.factors.size() > Factors::capacity)
        return poisonedExpr();
      for (size_t i = 0, j = 0; i < x.factors.size() || j < y.factors.size();) {
        bool first = j == y.factors.size() ||
                     (i < x.factors.size() && compare(*x.factors[i], *y.factors[j]) <= 0);
        t.factors.push_back(first ? x.factors[i++] : y.factors[j++]);
      }
      out.push_back(std::move(t));
    }
  return ta.size() == 1 || tb.size() == 1 ? fromSorted(std::move(out)) : fromTerms(std::move(out));
}

bool operator==(const Expr &a, const Expr &b) {
  return a.impl == b.impl || (a.impl->hash == b.impl->hash && compare(a, b) == 0);
}

bool operator<(const Expr &a, const Expr &b) { return compare(a, b) < 0; }

} // namespace moac::shape
