// Renders witnesses. Nothing is decided here.
#include "runtime/model/Report.h"
#include "runtime/model/Axioms.h"
#include "runtime/model/Values.h"

#include <algorithm>

namespace moac::model {
namespace {

std::string placeName(const Location &location) {
  return location.name + "@" + std::to_string(location.pe);
}

// "LD x@1": without who did it.
std::string shortName(const Graph &graph, int index) {
  const Event &event = graph.event(index);
  if (event.isAccess())
    return (event.kind == EventKind::Load ? "LD " : "ST ") +
           placeName(graph.location(event.location));
  if (event.kind == EventKind::LanguageFence)
    return "langfence";
  return std::string(graph.operation(event.operation).info->mnemonic);
}

std::string chain(const Graph &graph, const std::vector<Edge> &edges) {
  std::string text;
  for (const Edge &edge : edges) {
    if (text.empty())
      text = shortName(graph, edge.from);
    text += " -" + std::string(relationNames[static_cast<size_t>(edge.kind)]) + "-> " +
            shortName(graph, edge.to);
  }
  return text;
}

std::string valueText(const Evaluated &value) {
  return value.state == Evaluated::Known ? std::to_string(value.number) : "?";
}

// Registers that hold something read, and final values of places stored to.
std::string outcome(const Program &program, const Execution &execution) {
  const Graph &graph = execution.graph;
  Evaluator evaluator(graph, execution.rf, &execution.finals);
  std::string text;
  auto item = [&](const std::string &name, const Evaluated &value) {
    text += (text.empty() ? "" : ", ") + name + "=" + valueText(value);
  };
  for (size_t t = 0; t < program.threads.size(); ++t)
    for (auto &[name, value] : graph.registers[t])
      if (graph.values[value].kind != ValueKind::Constant)
        item(std::to_string(program.threads[t].pe) + ":" + name, evaluator.value(value));
  for (const Location &location : graph.locations)
    if (!location.stores.empty()) {
      int last = execution.finals[&location - graph.locations.data()];
      item(placeName(location), evaluator.ofEvent(last));
    }
  return text;
}

} // namespace

std::string describeEvent(const Graph &graph, int index) {
  const Event &event = graph.event(index);
  std::string by = "line " + std::to_string(event.line);
  if (event.isObservable())
    by = std::string(graph.operation(event.operation).info->mnemonic) + ", " + by;
  return shortName(graph, index) + " (" + by + ")";
}

std::string summarize(const Program &program, const Verdict &verdict) {
  if (verdict.kind == VerdictKind::Blocked)
    return "no execution completes";
  if (!verdict.witness)
    return verdict.kind == VerdictKind::Forbidden || verdict.kind == VerdictKind::Holds
               ? "whatever the reads see, no execution has these values"
               : "";
  const Execution &execution = *verdict.witness;
  if (execution.raceA >= 0)
    return describeEvent(execution.graph, execution.raceA) + " and " +
           describeEvent(execution.graph, execution.raceB) + " are not ordered";
  if (!execution.cycle.empty())
    return chain(execution.graph, execution.cycle);
  return outcome(program, execution);
}

std::string describe(const Verdict &verdict) {
  if (!verdict.witness)
    return "";
  const Execution &execution = *verdict.witness;
  const Graph &graph = execution.graph;
  Evaluator evaluator(graph, execution.rf, &execution.finals);
  std::string text;
  for (int load = 0; load < graph.size(); ++load) {
    if (graph.event(load).kind != EventKind::Load)
      continue;
    int store = execution.rf[load];
    text += "      " + describeEvent(graph, load) + " reads " + valueText(evaluator.ofEvent(load)) +
            (store < 0 ? " (initial)" : " from " + describeEvent(graph, store)) + "\n";
  }
  for (const std::vector<int> &order : execution.order) {
    if (order.size() < 2)
      continue;
    text += "      coherence:";
    for (int store : order)
      text += " " + describeEvent(graph, store);
    text += "\n";
  }
  for (const Edge &edge : execution.cycle)
    text += "      " + describeEvent(graph, edge.from) + " -" +
            std::string(relationNames[static_cast<size_t>(edge.kind)]) + "-> " +
            describeEvent(graph, edge.to) + "\n";
  return text;
}

namespace {

// Edges of the picture: program order and what does not follow from other orders.
std::vector<Edge> pictureEdges(const Execution &execution, const Model &model) {
  const Graph &graph = execution.graph;
  auto edges = executionEdges(graph, model, execution.rf, execution.order, -1);
  BitMatrix closed(graph.size());
  for (const Edge &edge : edges)
    closed.set(edge.from, edge.to);
  closed.close();
  bool acyclic = !closed.cyclic(); // in a cycle everything follows from everything
  std::vector<Edge> kept;
  for (const Edge &edge : edges) {
    bool basic = edge.kind == RelationKind::Po || edge.kind == RelationKind::OpOrder ||
                 edge.kind == RelationKind::Rf || edge.kind == RelationKind::Aso;
    bool implied = false;
    for (int via = 0; via < graph.size() && !basic && acyclic; ++via)
      implied = implied || (closed.test(edge.from, via) && closed.test(via, edge.to));
    bool inCycle = std::any_of(execution.cycle.begin(), execution.cycle.end(), [&](const Edge &c) {
      return c.from == edge.from && c.to == edge.to && c.kind == edge.kind;
    });
    if (basic || !implied || inCycle)
      kept.push_back(edge);
  }
  return kept;
}

std::string node(const Graph &graph, int event) {
  return "    e" + std::to_string(event) + " [label=" + jsonString(shortName(graph, event)) +
         "];\n";
}

} // namespace

std::string toDot(const Program &program, const Model &model, const Verdict &verdict) {
  std::string title =
      program.name + ": " + modelName(model) + " " + std::string(verdictName(verdict.kind));
  std::string text = "digraph {\n  label=" + jsonString(title) + ";\n  node [shape=box];\n";
  if (!verdict.witness)
    return text + "}\n";
  const Execution &execution = *verdict.witness;
  const Graph &graph = execution.graph;
  for (size_t t = 0; t < graph.threads.size(); ++t) {
    std::string label = "PE" + std::to_string(program.threads[t].pe) + "." +
                        std::to_string(program.threads[t].index);
    text +=
        "  subgraph cluster_t" + std::to_string(t) + " {\n    label=" + jsonString(label) + ";\n";
    for (int event : graph.threads[t])
      if (graph.event(event).thread >= 0)
        text += node(graph, event);
    text += "  }\n";
  }
  for (size_t o = 0; o < graph.operations.size(); ++o) {
    const Operation &op = graph.operations[o];
    if (op.home < 0)
      text += node(graph, op.event);
    if (op.accesses.empty())
      continue;
    text += "  subgraph cluster_o" + std::to_string(o) +
            " {\n    style=dotted; label=" + jsonString(op.info->mnemonic) + ";\n";
    for (int event : op.accesses)
      text += node(graph, event);
    text += "  }\n";
  }
  for (const Edge &edge : pictureEdges(execution, model)) {
    bool red = std::any_of(execution.cycle.begin(), execution.cycle.end(), [&](const Edge &c) {
      return c.from == edge.from && c.to == edge.to && c.kind == edge.kind;
    });
    text += "  e" + std::to_string(edge.from) + " -> e" + std::to_string(edge.to) +
            " [label=" + std::string(relationNames[static_cast<size_t>(edge.kind)]) +
            (red ? ", color=red" : "") + "];\n";
  }
  if (execution.raceA >= 0)
    text += "  e" + std::to_string(execution.raceA) + " -> e" + std::to_string(execution.raceB) +
            " [label=race, color=red, dir=none, style=dashed];\n";
  return text + "}\n";
}

// The length of the UTF-8 character that `text` begins with; 0 if it is none.
static size_t characterLength(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  size_t length = byte(0) < 0x80                      ? 1
                  : byte(0) >= 0xc2 && byte(0) < 0xe0 ? 2
                  : byte(0) >= 0xe0 && byte(0) < 0xf0 ? 3
                  : byte(0) >= 0xf0 && byte(0) < 0xf5 ? 4
                                                      : 0;
  if (length > text.size())
    return 0;
  for (size_t i = 1; i < length; ++i)
    if (byte(i) >> 6 != 2)
      return 0;
  bool wrong = length > 2 && ((byte(0) == 0xe0 && byte(1) < 0xa0) ||  // longer than need be
                              (byte(0) == 0xed && byte(1) >= 0xa0) || // half of a pair
                              (byte(0) == 0xf0 && byte(1) < 0x90) ||
                              (byte(0) == 0xf4 && byte(1) >= 0x90)); // beyond the last one
  return wrong ? 0 : length;
}

std::string jsonString(std::string_view text) {
  static constexpr std::string_view hex = "0123456789abcdef";
  std::string result = "\"";
  while (!text.empty()) {
    auto code = static_cast<unsigned char>(text[0]);
    size_t length = characterLength(text);
    if (text[0] == '"' || text[0] == '\\')
      (result += '\\') += text[0];
    else if (code < 0x20)
      ((result += "\\u00") += hex[code >> 4]) += hex[code & 15];
    else if (length == 0)
      result += "\\ufffd";
    else
      result += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return result + "\"";
}

} // namespace moac::model
