// One namespace for each kernel; see Scope.h.
#include "frontend/Scope.h"

namespace moac::sema {

std::string_view kindName(Entity::Kind kind) {
  switch (kind) {
  case Entity::Kind::Symbol:
    return "symbol";
  case Entity::Kind::Scalar:
    return "scalar parameter";
  case Entity::Kind::Input:
    return "input";
  case Entity::Kind::Value:
    return "value";
  case Entity::Kind::Index:
    return "index";
  case Entity::Kind::FnParam:
    return "parameter";
  }
  return "name";
}

Entity *Scope::find(std::string_view name) {
  auto it = entities.find(name);
  return it == entities.end() ? nullptr : &it->second;
}

Entity *Scope::declare(const ast::Name &name, Entity entity) {
  auto [it, fresh] = entities.try_emplace(name.text, entity);
  if (fresh)
    return &it->second;
  const Entity &old = it->second;
  bool index = entity.kind == Entity::Kind::Index;
  auto report = index ? diags.report(diag::hiddenName, name.range, name.text, kindName(old.kind))
                      : diags.report(diag::duplicateName, name.range, name.text);
  report.note(old.declared,
              "the " + std::string(kindName(old.kind)) + " '" + name.text + "' is declared here");
  if (old.kind == Entity::Kind::Value && entity.kind == Entity::Kind::Value)
    report.help("a value is defined once; give this one another name");
  else if (index)
    report.help("give the index another name");
  else if (entity.kind == Entity::Kind::Value)
    report.help("a parameter keeps its value; give the new one another name");
  return nullptr;
}

void Scope::bindIndex(const ast::Name &name, IndexInfo &index) {
  Entity entity{Entity::Kind::Index, name.range, {}, &index, true};
  if (!declare(name, entity))
    rebindIndex(name, index);
}

void Scope::rebindIndex(const ast::Name &name, IndexInfo &index) {
  hidden.emplace_back(name.text, entities[name.text]);
  entities[name.text] = {Entity::Kind::Index, name.range, {}, &index, true};
}

void Scope::release(const std::string &name) {
  entities.erase(name);
  for (size_t i = hidden.size(); i-- > 0;)
    if (hidden[i].first == name) {
      entities[name] = hidden[i].second;
      hidden.erase(hidden.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> names;
  for (auto &[name, entity] : entities)
    names.push_back(name);
  return names;
}

} // namespace moac::sema
