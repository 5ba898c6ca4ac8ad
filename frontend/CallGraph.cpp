// Cycles in the call graph; see CallGraph.h. The search is iterative: its depth is the user's to
// choose.
#include "frontend/CallGraph.h"
#include "frontend/AstWalk.h"

#include "llvm/Support/Casting.h"

namespace moac::sema {

using llvm::dyn_cast;

namespace {
struct Call {
  std::string callee;
  SourceRange range;
};

struct Node {
  const char *what = "kernel";
  SourceRange declared;
  std::vector<Call> calls;
  enum { New, Open, Done } state = New;
};
using Graph = std::map<std::string, Node>;

void collect(const ast::Expr &expr, std::vector<Call> &calls) {
  ast::forEachExpr(expr, [&](const ast::Expr &part) {
    if (auto *call = dyn_cast<ast::Call>(&part);
        call && call->callee.kind == ast::FnRef::Kind::UserName)
      calls.push_back({call->callee.name, call->callee.range});
    if (auto *reduce = dyn_cast<ast::Reduce>(&part);
        reduce && reduce->fn.kind == ast::FnRef::Kind::UserName)
      calls.push_back({reduce->fn.name, reduce->fn.range});
    if (auto *section = dyn_cast<ast::Section>(&part))
      for (const ast::Operator *op = section->op.get(); op; op = op->operand.get())
        for (const ast::FnRef *fn : {&op->f, &op->g})
          if (fn->kind == ast::FnRef::Kind::UserName && !fn->name.empty())
            calls.push_back({fn->name, fn->range});
  });
}

void collect(const ast::Block &body, std::vector<Call> &calls) {
  for (const ast::StmtPtr &stmt : body) {
    if (auto *define = dyn_cast<ast::Define>(stmt.get()))
      collect(*define->value, calls);
    if (auto *iterate = dyn_cast<ast::Iterate>(stmt.get()))
      collect(iterate->body, calls);
    if (auto *many = dyn_cast<ast::DefineMany>(stmt.get())) {
      calls.push_back({many->callee.text, many->callee.range});
      for (const ast::ExprPtr &arg : many->args)
        collect(*arg, calls);
    }
  }
}

/// `a -> b -> a`, for the message.
std::string cycleText(const std::vector<std::pair<std::string, size_t>> &path,
                      const std::string &back) {
  std::string text;
  bool inside = false;
  for (auto &[name, next] : path) {
    inside |= name == back;
    if (inside)
      text += name + " -> ";
  }
  return text + back;
}

/// Depth first; `done` gets every node when all it calls are done.
void search(Graph &graph, const std::string &start, std::vector<std::string> &done,
            Diagnostics &diags) {
  std::vector<std::pair<std::string, size_t>> path;
  auto open = [&](const std::string &name) {
    graph[name].state = Node::Open;
    path.emplace_back(name, 0);
  };
  open(start);
  while (!path.empty()) {
    Node &node = graph[path.back().first];
    if (path.back().second == node.calls.size()) {
      node.state = Node::Done;
      done.push_back(path.back().first);
      path.pop_back();
      continue;
    }
    const Call &call = node.calls[path.back().second++];
    auto callee = graph.find(call.callee);
    if (callee == graph.end() || callee->second.state == Node::Done)
      continue;
    if (callee->second.state == Node::New) {
      open(call.callee);
      continue;
    }
    diags.report(diag::recursion, call.range, callee->second.what, call.callee)
        .note(callee->second.declared,
              "'" + call.callee + "' is defined here: " + cycleText(path, call.callee));
  }
}

/// A fn sees its parameters and the indices it binds itself.
void checkNames(const ast::Fn &fn, Diagnostics &diags) {
  std::set<std::string> known;
  for (const ast::Name &param : fn.params)
    if (!known.insert(param.text).second)
      diags.report(diag::duplicateName, param.range, param.text);
  ast::forEachExpr(*fn.body, [&](const ast::Expr &part) {
    if (auto *reduce = dyn_cast<ast::Reduce>(&part))
      for (const ast::Bind &bind : reduce->binds)
        known.insert(bind.name.text);
  });
  ast::forEachExpr(*fn.body, [&](const ast::Expr &part) {
    auto *use = dyn_cast<ast::NameUse>(&part);
    if (!use || known.count(use->name))
      return;
    std::string near = didYouMean(use->name, std::vector(known.begin(), known.end()));
    diags.report(diag::nameInFn, use->range, use->name, fn.name.text)
        .note(fn.name.range, "a fn sees its own parameters only")
        .help(near.empty() ? "give it as an argument" : near);
  });
}
} // namespace

std::vector<std::string> checkCalls(const std::vector<ast::File> &files, const Items &items,
                                    Diagnostics &diags) {
  Graph graph;
  for (auto &[name, fn] : items.fns) {
    Node node{"fn", fn->name.range, {}};
    collect(*fn->body, node.calls);
    graph[name] = node;
    checkNames(*fn, diags);
  }
  for (auto &[name, kernel] : items.kernels) {
    Node node{"kernel", kernel.ast->name.range, {}};
    collect(kernel.ast->body, node.calls);
    graph[name] = node;
  }
  std::vector<std::string> done;
  for (const ast::File &file : files) {
    for (const ast::Kernel &kernel : file.kernels)
      if (graph[kernel.name.text].state == Node::New)
        search(graph, kernel.name.text, done, diags);
    for (const ast::Fn &fn : file.fns)
      if (graph[fn.name.text].state == Node::New)
        search(graph, fn.name.text, done, diags);
  }
  std::erase_if(done, [&](const std::string &name) { return !items.kernels.count(name); });
  return done;
}

} // namespace moac::sema
