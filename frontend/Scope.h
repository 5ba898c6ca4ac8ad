// The names of one kernel (or of one fn's body): a single namespace, in which an index hides
// nothing.
#ifndef MOAC_FRONTEND_SCOPE_H
#define MOAC_FRONTEND_SCOPE_H

#include "frontend/Ranges.h"

#include <map>

namespace moac::sema {

struct Entity {
  enum class Kind { Symbol, Scalar, Input, Value, Index, FnParam };
  Kind kind = Kind::Value;
  SourceRange declared;
  Val val;                    ///< poison for a value whose definition failed
  IndexInfo *index = nullptr; ///< Index only
  bool read = false;
};

/// `symbol`, `index`, `input`, ...; for messages.
std::string_view kindName(Entity::Kind kind);

class Scope {
public:
  explicit Scope(Diagnostics &diags) : diags(diags) {}

  Entity *find(std::string_view name);
  /// Adds a name; null after a report if it is taken. Pointers stay valid.
  Entity *declare(const ast::Name &name, Entity entity);
  /// Binds an index until `release`. A clash is reported, but the index wins: no other message
  /// shall follow from it.
  void bindIndex(const ast::Name &name, IndexInfo &index);
  /// Lets the name of an index mean another one until `release`, without a report.
  void rebindIndex(const ast::Name &name, IndexInfo &index);
  void release(const std::string &name);

  /// All names, for did-you-mean.
  std::vector<std::string> names() const;
  const std::map<std::string, Entity, std::less<>> &all() const { return entities; }

private:
  Diagnostics &diags;
  std::map<std::string, Entity, std::less<>> entities;
  std::vector<std::pair<std::string, Entity>> hidden; ///< by indices that should not
};

} // namespace moac::sema

#endif
