// The items of all files of a program: one namespace, heads read in advance.
//
// Whether an i64 scalar parameter is a symbol may depend on other kernels: in `Z = f(X, p)` it is
// one if f's parameter is. Such links are followed to a fixed point before heads are read.
#include "frontend/AstWalk.h"
#include "frontend/Words.h"
#include "frontend/Signature.h"

#include "llvm/Support/Casting.h"

namespace moac::sema {

namespace {
using Names = std::set<std::string>;

/// A scalar of `caller` handed to parameter `position` of kernel `callee`.
struct Link {
  std::string caller, scalar, callee;
  size_t position;
};

class Collector {
public:
  Collector(Items &items, Diagnostics &diags) : items(items), diags(diags) {}

  void collect(const std::vector<ast::File> &files);

private:
  bool claim(const ast::Name &name);
  void scanBody(const ast::Kernel &kernel);
  void link(const ast::Kernel &kernel, const std::string &callee, const ast::Expr &arg,
            size_t position);
  void link(const ast::Kernel &kernel, const std::string &callee,
            const std::vector<ast::ExprPtr> &args);
  void linkOperator(const ast::Kernel &kernel, const ast::Section &section);
  void followLinks();

  Items &items;
  Diagnostics &diags;
  std::map<std::string, SourceRange> declared;
  std::vector<std::string> order;     // kernels as they come
  std::map<std::string, Names> extra; // kernel -> scalars that are symbols
  std::vector<Link> links;
};

/// Reserves an item's name; two items of one name are an error, whichever files they stand in.
bool Collector::claim(const ast::Name &name) {
  auto [it, fresh] = declared.try_emplace(name.text, name.range);
  if (!fresh)
    diags.report(diag::duplicateItem, name.range, name.text).note(it->second, "first defined here");
  return fresh;
}

void addNames(const ast::Expr &expr, Names &names) {
  ast::forEachExpr(expr, [&](const ast::Expr &part) {
    if (auto *use = llvm::dyn_cast<ast::NameUse>(&part))
      names.insert(use->name);
  });
}

/// The names that decide about the shape of what `expr` makes; a shape that is asked for is not
/// looked into.
void addShapeNames(const ast::Expr &expr, Names &names) {
  if (auto *use = llvm::dyn_cast<ast::NameUse>(&expr))
    names.insert(use->name);
  auto *word = llvm::dyn_cast<ast::PrefixWord>(&expr);
  if (!word || (word->word != Word::Shape && word->word != Word::Dim && word->word != Word::Total))
    ast::forEachPart(expr, [&](const ast::Expr &part) { addShapeNames(part, names); });
}

bool takesLengths(Word word) {
  return word == Word::Take || word == Word::Drop || word == Word::Reshape;
}

/// The same words under omega: `<n, m> (reshape omega<1 1>) A`, `(iota omega<1>) v`.
void addLengths(const ast::Section &section, Names &names) {
  const ast::Operator *op = section.op.get();
  while (op->operand)
    op = op->operand.get();
  if (op->kind != ast::Operator::Kind::Fn || op->f.kind != ast::FnRef::Kind::WordName)
    return;
  if (takesLengths(op->f.word) && section.lhs)
    addShapeNames(*section.lhs, names);
  if (op->f.word == Word::Iota)
    addShapeNames(*section.rhs, names);
}

/// The names in the places of a node from which lengths are taken: counts, shapes, slice bounds.
void addLengths(const ast::Expr &part, Names &names) {
  if (auto *word = llvm::dyn_cast<ast::InfixWord>(&part); word && takesLengths(word->word))
    addShapeNames(*word->lhs, names);
  if (auto *section = llvm::dyn_cast<ast::Section>(&part))
    addLengths(*section, names);
  if (auto *word = llvm::dyn_cast<ast::PrefixWord>(&part); word && word->word == Word::Iota)
    addShapeNames(*word->operand, names);
  if (auto *index = llvm::dyn_cast<ast::Index>(&part))
    for (const ast::Subscript &sub : index->subscripts)
      for (const ast::ExprPtr *bound : {&sub.lo, &sub.hi})
        if (*bound)
          addShapeNames(**bound, names);
}

/// Adds what the values among `names` are defined by: `b = <n, n> - 2`, later `b take A`.
void addDefinitions(const ast::Kernel &kernel, Names &names) {
  for (auto stmt = kernel.body.rbegin(); stmt != kernel.body.rend(); ++stmt)
    if (auto *define = llvm::dyn_cast<ast::Define>(stmt->get());
        define && !define->indexed && names.count(define->target.text))
      addShapeNames(*define->value, names);
}

void Collector::link(const ast::Kernel &kernel, const std::string &callee, const ast::Expr &arg,
                     size_t position) {
  Names names;
  addNames(arg, names);
  for (const ast::Param &param : kernel.params)
    if (param.extents.empty() && param.type.type == ElementType::i64_ &&
        names.count(param.name.text))
      links.push_back({kernel.name.text, param.name.text, callee, position});
}

void Collector::link(const ast::Kernel &kernel, const std::string &callee,
                     const std::vector<ast::ExprPtr> &args) {
  for (size_t i = 0; i < args.size(); ++i)
    link(kernel, callee, *args[i], i);
}

/// A kernel as the f of omega: its parameters are the operands' cells.
void Collector::linkOperator(const ast::Kernel &kernel, const ast::Section &section) {
  const ast::Operator *op = section.op.get();
  while (op->operand)
    op = op->operand.get();
  if (op->kind != ast::Operator::Kind::Fn || op->f.kind != ast::FnRef::Kind::UserName)
    return;
  size_t position = 0;
  for (const ast::ExprPtr *arg : {&section.lhs, &section.rhs})
    if (*arg)
      link(kernel, op->f.name, **arg, position++);
}

void Collector::scanBody(const ast::Kernel &kernel) {
  Names &symbols = extra[kernel.name.text];
  for (auto *list : {&kernel.params, &kernel.results})
    for (const ast::Param &param : *list)
      for (const ast::ExprPtr &extent : param.extents)
        addNames(*extent, symbols);
  for (const ast::StmtPtr &stmt : kernel.body) {
    if (auto *define = llvm::dyn_cast<ast::Define>(stmt.get()))
      for (const ast::LhsIndex &index : define->indices)
        if (index.extent)
          addNames(*index.extent, symbols);
    if (auto *many = llvm::dyn_cast<ast::DefineMany>(stmt.get()))
      link(kernel, many->callee.text, many->args);
  }
  ast::forEachExpr(kernel.body, [&](const ast::Expr &part) {
    auto *call = llvm::dyn_cast<ast::Call>(&part);
    if (call && call->callee.kind == ast::FnRef::Kind::UserName)
      link(kernel, call->callee.name, call->args);
    if (auto *section = llvm::dyn_cast<ast::Section>(&part))
      linkOperator(kernel, *section);
    addLengths(part, symbols);
  });
  addDefinitions(kernel, symbols);
}

void Collector::followLinks() {
  using Param = std::pair<std::string, std::string>; // kernel, parameter
  std::map<Param, std::vector<const Link *>> users;
  for (const Link &link : links)
    if (auto callee = items.kernels.find(link.callee);
        callee != items.kernels.end() && link.position < callee->second.ast->params.size())
      users[{link.callee, callee->second.ast->params[link.position].name.text}].push_back(&link);
  std::vector<Param> found;
  for (auto &[kernel, symbols] : extra)
    for (const std::string &symbol : symbols)
      found.emplace_back(kernel, symbol);
  while (!found.empty()) {
    Param param = found.back();
    found.pop_back();
    for (const Link *link : users[param])
      if (extra[link->caller].insert(link->scalar).second)
        found.emplace_back(link->caller, link->scalar);
  }
}

void Collector::collect(const std::vector<ast::File> &files) {
  for (const ast::File &file : files) {
    items.broken.insert(file.broken.begin(), file.broken.end());
    for (const ast::Fn &fn : file.fns)
      if (claim(fn.name))
        items.fns.emplace(fn.name.text, &fn);
    for (const ast::Kernel &kernel : file.kernels)
      if (claim(kernel.name)) {
        items.kernels[kernel.name.text].ast = &kernel;
        order.push_back(kernel.name.text);
        scanBody(kernel);
      }
    for (const ast::Derive &derive : file.derives)
      if (claim(derive.name)) {
        diags.report(diag::notYet, derive.range, "derive");
        items.broken.insert(derive.name.text);
      }
  }
  followLinks();
  for (const std::string &name : order) {
    KernelInfo &kernel = items.kernels[name];
    if (kernel.ast->complete)
      readSignature(kernel, extra[name], diags);
    else
      kernel.valid = false; // the parser has said why
  }
}
} // namespace

std::vector<std::string> Items::callables() const {
  std::vector<std::string> all = functionNames();
  for (std::string &name : names())
    all.push_back(std::move(name));
  return all;
}

std::vector<std::string> Items::names() const {
  std::vector<std::string> names;
  for (auto &[name, kernel] : kernels)
    names.push_back(name);
  for (auto &[name, fn] : fns)
    names.push_back(name);
  return names;
}

Items collectItems(const std::vector<ast::File> &files, Diagnostics &diags) {
  Items items;
  Collector(items, diags).collect(files);
  return items;
}

} // namespace moac::sema
