// The relations of the memory model over one path's events, except those that depend on who reads
// from whom.
//
// ilv, lco, rdo and rco are defined over the language-level happens-before, so they are fixed once
// the language-level synchronisation is. aso and the communication relations (rf, co, fr) are added
// by the search. With communication ids every relation exists once per id; without them there is
// one set, and the vectors below have one element.
#pragma once

#include "runtime/model/BitMatrix.h"
#include "runtime/model/Events.h"

#include <array>

namespace moac::model {

enum class RelationKind : uint8_t { Po, OpOrder, So, Ilv, Lco, Rdo, Rco, Aso, Rf, Co, Fr };
constexpr std::array<std::string_view, 11> relationNames = {"po",  "op",  "so", "ilv", "lco", "rdo",
                                                            "rco", "aso", "rf", "co",  "fr"};

struct Edge {
  int from = 0, to = 0;
  RelationKind kind = RelationKind::Po;
};

/// Reads-from: per event, the store a load reads, or one of these.
constexpr int readsInitial = -1;
constexpr int readsNothingYet = -2;
using ReadsFrom = std::vector<int>;

/// Immediate program order of the threads.
std::vector<Edge> programOrder(const Graph &graph);

/// Synchronisation of the base language: release write to acquire read of its value, through atomic
/// read-modify-writes and language fences.
std::vector<Edge> languageSync(const Graph &graph, const ReadsFrom &rf);

/// Language-level happens-before: the closure of program order and `so`.
BitMatrix languageHappensBefore(const Graph &graph, const std::vector<Edge> &so);

/// Number of relation sets: one, or one per communication id in model comid.
int relationSets(const Graph &graph, const Model &model);

/// ilv, lco, rdo and rco of set `id`, given the language-level happens-before.
std::vector<Edge> apiRelations(const Graph &graph, const Model &model, const BitMatrix &hb, int id);

/// The part of program order that belongs to hb_api: all of it, or, in model comid, what the
/// architecture preserves.
std::vector<Edge> preservedOrder(const Graph &graph, const Model &model);

/// Whether a read of `load` from `store` synchronises in set `id`.
bool synchronises(const Graph &graph, const Model &model, int store, int load, int id);

} // namespace moac::model
