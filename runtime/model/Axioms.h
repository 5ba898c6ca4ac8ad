// The parts of the consistency axioms that depend on coherence: from-reads, the axioms of the
// OpenSHMEM proposal (models c11 and c11q), and all ordering edges of a finished execution for
// reports.
#pragma once

#include "runtime/model/Relations.h"

namespace moac::model {

/// co between neighbours and fr of one location whose stores are in the given order.
std::vector<Edge> coherenceEdges(const Graph &graph, const ReadsFrom &rf, int location,
                                 const std::vector<int> &order);

/// Models c11 and c11q: coherence is consistent with happens-before, and for c11q the quiets are
/// totally orderable (E8). Atomic pairs and acyclic happens-before are the caller's business.
bool proposalAxioms(const Graph &graph, const Model &model, const ReadsFrom &rf,
                    const std::vector<std::vector<int>> &order, const BitMatrix &hbApi);

/// Every ordering edge of an execution in relation set `id` (-1 for all sets): program order, so,
/// the API relations, aso, rf, co, fr. A reads-from edge that synchronises appears as aso.
std::vector<Edge> executionEdges(const Graph &graph, const Model &model, const ReadsFrom &rf,
                                 const std::vector<std::vector<int>> &order, int id);

} // namespace moac::model
