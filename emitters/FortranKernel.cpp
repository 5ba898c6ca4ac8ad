// The procedures of one kernel: loops, teams, the function for C and its forms with scratch memory.
//
// The function for C takes addresses (type(c_ptr)), because an argument may be null or overlap
// another one; when the checks have passed they become arrays, and the loops get those as dummies
// of explicit shape, from which a compiler knows that they are apart. Scratch memory is cut as in
// C: a block from the runtime or the caller, of which an array of each thread has one slice a
// thread.
#include "emitters/FortranKernel.h"
#include "emitters/Checks.h"
#include "emitters/Demand.h"
#include "emitters/TreeWalk.h"

#include <algorithm>
#include <fmt/format.h>

namespace moac::emit {
using namespace tree;

namespace {

class KernelProcedures {
public:
  KernelProcedures(Printer &printer, const FortranKernel &legal)
      : printer(printer), legal(legal), kernel(legal.kernel), demand(demandOf(kernel)) {}

  void print() {
    for (const FortranProcedure &team : legal.teams)
      procedure(team);
    procedure(legal.loops);
    if (forDevice()) {
      runForDevice();
      forward(legal.names.entry, kernel.name, {".false."}, {});
      for (const FortranInterface::Resident &form : legal.names.resident)
        forward(form.entry, kernel.name + form.form, {".true."}, {});
    } else if (!demand.any()) {
      openFunction(legal.names.entry, kernel.name, {});
      declareEntry();
      begin();
      places();
      callLoops();
      closeProcedure(printer, "function");
    } else {
      run();
      size();
      forward(legal.names.entry, kernel.name, {"c_null_ptr", "0_i64", ".true."}, {});
      forward(legal.names.workspace, kernel.name + "_ws", {"ws", "ws_bytes", ".false."},
              {"ws", "ws_bytes"});
    }
  }

private:
  std::string type(Elem elem) { return printer.typeName(elem); }

  /// `(0:N*M - 1)`
  std::string shape(const Expr &count) {
    return count.kind == Expr::Kind::Integer ? fmt::format("(0:{})", count.integer - 1)
                                             : "(0:" + printer.expression(count, 14) + " - 1)";
  }

  void procedure(const FortranProcedure &procedure) {
    printer.blank();
    std::vector<std::string> names;
    for (const Dummy &dummy : procedure.dummies)
      names.push_back(dummy.name);
    const bool ownStatus = forDevice() && procedure.fails; // a dummy is no place for a reduction
    if (forDevice())
      names.push_back("resident");
    if (procedure.fails)
      names.push_back(ownStatus ? "code" : "status");
    openProcedure(printer, "subroutine " + procedure.name, names, "");
    Declarations dummies(printer);
    for (const Dummy &dummy : procedure.dummies) {
      const bool array = dummy.kind == Dummy::Kind::Input || dummy.kind == Dummy::Kind::Changed;
      const char *how = dummy.kind == Dummy::Kind::Value   ? ", value"
                        : dummy.kind == Dummy::Kind::Input ? ", intent(in)"
                                                           : ", intent(inout)";
      dummies.add(type(dummy.type) + how, dummy.name + (array ? shape(dummy.count) : ""));
    }
    if (forDevice())
      dummies.add("logical, value", "resident");
    if (procedure.fails)
      dummies.add("integer(c_int), intent(inout)", ownStatus ? "code" : "status");
    if (ownStatus)
      dummies.add("integer(c_int)", "status");
    dummies.print();
    declareSlots(procedure.body);
    printer.declarations(procedure.body);
    printer.blank();
    if (forDevice()) // a question of the directives
      printer.lines("associate (unused => resident)\nend associate");
    if (ownStatus)
      printer.line("status = code");
    printer.body(procedure.body);
    if (ownStatus)
      printer.line("code = status");
    closeProcedure(printer, "subroutine");
  }

  void declareSlots(const Body &body) {
    std::vector<std::string> names;
    forEachStatement(body, [&](const Stmt &statement) {
      const auto *team = std::get_if<Parallel>(&statement.node);
      if (team && !team->scratch.empty() &&
          std::find(names.begin(), names.end(), team->slots) == names.end())
        names.push_back(team->slots);
    });
    if (!names.empty())
      names.push_back("slot");
    Declarations slots(printer);
    for (const std::string &name : names)
      slots.add(type(Elem::Index), name);
    slots.print();
  }

  // ---- functions for C ----

  std::vector<std::string> scalarNames() const {
    std::vector<std::string> names = kernel.symbols;
    for (const Scalar &scalar : kernel.scalars)
      names.push_back(scalar.name);
    return names;
  }
  std::vector<std::string> argumentNames() const {
    std::vector<std::string> names = scalarNames();
    for (const Array *array : arrays(kernel))
      names.push_back(array->name);
    return names;
  }

  void declareScalars(Declarations &declarations) {
    for (const std::string &symbol : kernel.symbols)
      declarations.add(type(Elem::Index) + ", value", symbol);
    for (const Scalar &scalar : kernel.scalars)
      declarations.add(type(scalar.type) + ", value", scalar.name);
  }

  /// Opens a function of all arguments; with a name for C it is one that C can call.
  void openFunction(const std::string &name, const std::string &cName,
                    std::vector<std::string> more) {
    printer.blank();
    std::vector<std::string> names = argumentNames();
    names.insert(names.end(), more.begin(), more.end());
    openProcedure(printer, "integer(c_int) function " + name, names,
                  breakMark() + (cName.empty() ? "" : "bind(C, name=\"" + cName + "\") ") +
                      "result(status)");
    Declarations dummies(printer);
    declareScalars(dummies);
    for (const Array *array : arrays(kernel))
      dummies.add("type(c_ptr), value", array->name);
    for (const std::string &one : more)
      dummies.add(one == "ws"                         ? "type(c_ptr), value"
                  : one == "own" || one == "resident" ? "logical, value"
                                                      : "integer(i64), value",
                  one);
    dummies.print();
  }

  /// Variables of the function that does the checks.
  void declareEntry() {
    Declarations locals(printer);
    for (const Array *array : arraysWithSize(kernel))
      locals.add("integer(i64)", array->bytes);
    declareExtents(locals);
    Body setup;
    for (const Requirement &requirement : kernel.requirements)
      setup.insert(setup.end(), requirement.before.begin(), requirement.before.end());
    for (const Array *array : arrays(kernel))
      if (isUsed(array->name))
        locals.add(type(array->type) + ", pointer, contiguous",
                   legal.places.at(array->name) + "(:)");
    if (mayBeEmpty())
      locals.add("integer(i8), target", forDevice() ? "nothing(2)" : "nothing(1)");
    locals.print();
    printer.declarations(setup);
  }

  void declareExtents(Declarations &locals) {
    for (const Let &extent : kernel.extents)
      locals.add("integer(i64)", extent.name);
  }

  /// Whether one of the arrays that the loops use has no elements for some sizes. A buffer of a
  /// device counts too: it is mapped, and there is room for one empty object only.
  bool mayBeEmpty() const {
    const std::vector<const Array *> all = arrays(kernel);
    const auto empty = [&](const Scratch &scratch) {
      return isUsed(scratch.name) && scratch.count.kind != Expr::Kind::Integer;
    };
    return std::any_of(all.begin(), all.end(),
                       [&](const Array *array) {
                         return isUsed(array->name) && !fixedSize(*array);
                       }) ||
           (forDevice() && std::any_of(kernel.scratch.begin(), kernel.scratch.end(), empty));
  }

  bool isUsed(const std::string &name) const {
    const std::vector<Dummy> &dummies = legal.loops.dummies;
    return std::any_of(dummies.begin(), dummies.end(),
                       [&](const Dummy &dummy) { return dummy.name == name; });
  }

  /// Mentions what would otherwise be an unused argument.
  void unused(const std::set<std::string> &used) {
    for (const Scalar &scalar : kernel.scalars)
      if (!used.count(scalar.name))
        printer.lines(fmt::format("associate (unused => {})\nend associate", scalar.name));
  }

  void begin() {
    std::set<std::string> used;
    for (const Dummy &dummy : legal.loops.dummies)
      used.insert(dummy.name);
    for (const Requirement &requirement : kernel.requirements) {
      collectNames(requirement.condition, used);
      used.merge(namesIn(requirement.before));
    }
    unused(used);
    printChecks(printer, kernel);
  }

  void place(const std::string &name, const std::string &address, const Expr &count) {
    printer.line("call c_f_pointer(" + address + "," + breakMark() + legal.places.at(name) + "," +
                 breakMark() + "[" + printer.expression(count) + "])");
  }

  /// Arrays at the addresses that passed; an empty one may be null and begins elsewhere.
  void places() {
    if (mayBeEmpty())
      printer.line("nothing = 0");
    for (const Dummy &dummy : legal.loops.dummies)
      for (const Array *array : arrays(kernel)) {
        if (array->name != dummy.name)
          continue;
        if (!fixedSize(*array))
          printer.line(fmt::format("if ({} == 0) {} = c_loc({})", array->bytes, array->name,
                                   forDevice() ? "nothing(2)" : "nothing"));
        place(array->name, array->name, dummy.count);
      }
  }

  void callLoops() {
    printer.line("status = " + printer.statusName(Status::Ok));
    std::vector<std::string> passed;
    for (const Dummy &dummy : legal.loops.dummies) {
      const auto found = legal.places.find(dummy.name);
      passed.push_back(found == legal.places.end() ? dummy.name : found->second);
    }
    if (forDevice())
      passed.push_back("resident");
    if (legal.loops.fails)
      passed.push_back("status");
    printer.line("call " + legal.loops.name + "(" + join(passed, ",") + ")");
  }

  // ---- a device ----

  bool forDevice() const { return !legal.names.resident.empty(); }

  void runForDevice() {
    openFunction(legal.names.run, "", {"resident"});
    if (demand.any()) {
      Declarations locals(printer);
      locals.add("type(c_ptr)", "ws");
      locals.add("integer(c_intptr_t)", "top");
      locals.add("type(c_ptr)", "taken");
      for (const Scratch &scratch : kernel.scratch)
        if (isUsed(scratch.name))
          locals.add(type(scratch.type) + ", pointer, contiguous",
                     legal.places.at(scratch.name) + "(:)");
      locals.print();
    }
    declareEntry();
    begin();
    if (demand.any())
      buffers();
    places();
    // Where empty arrays lie must be on the device too, and not at the beginning of what is.
    if (mayBeEmpty())
      printer.line("!$acc data copyin(nothing)");
    callLoops();
    if (mayBeEmpty())
      printer.line("!$acc end data");
    if (demand.any())
      printer.line("call moac_scratch_release(ws)");
    closeProcedure(printer, "function");
  }

  void buffers() {
    printer.comment("Buffers on the device, known to it by addresses in a block of the host");
    const std::string noMemory = printer.statusName(Status::NoMemory);
    printCheck(printer, {realSum(printer, demand.shared) + " > MOAC_MAX_BYTES"}, noMemory);
    printer.line("ws = moac_scratch_acquire(64 +" + breakMark() + roundedSum(printer, demand.shared) +
                 ")");
    printCheck(printer, {".not. c_associated(ws)"}, noMemory);
    printer.line("top = moac_align64(ws)");
    cut();
  }

  // ---- scratch memory ----

  bool teams() const { return !demand.thread.empty(); }

  void declareSizes(Declarations &locals) {
    locals.add("integer(i64)", "shared_bytes");
    if (!teams())
      return;
    locals.add("integer(i64)", "thread_bytes");
    locals.add("integer(i64)", "team");
  }

  /// Computes shared_bytes, thread_bytes and team, and gives up when they are absurd.
  void sizes(std::string_view tooLarge) {
    std::vector<std::string> bounds;
    if (!demand.shared.empty())
      bounds.push_back(realSum(printer, demand.shared) + " > MOAC_MAX_BYTES");
    if (teams()) {
      std::vector<std::string> parts;
      for (const std::vector<Scratch> &buffers : demand.thread) {
        parts.push_back(roundedSum(printer, buffers));
        bounds.push_back("team*(" + realSum(printer, buffers) + " + 4096.0_f64) > MOAC_MAX_BYTES");
      }
      printer.line("team = moac_threads(" + printer.realValue(1, demand.totalWork()) + ")");
      printCheck(printer, bounds, tooLarge);
      printer.line("thread_bytes = " + join(parts, " +"));
    } else {
      printCheck(printer, bounds, tooLarge);
    }
    printer.line("shared_bytes = 64" +
                 (demand.shared.empty() ? "" : " +" + breakMark() + roundedSum(printer, demand.shared)));
  }

  void acquire() {
    const std::string fail = fill(printer.use(printer.language().checks.giveUp),
                                  {{"status", printer.statusName(Status::NoMemory)}});
    const std::string failing =
        "  " + fail.substr(0, fail.find('\n')) + "\n  " + fail.substr(fail.find('\n') + 1) + "\n";
    printer.lines(std::string("if (own) then\n  ws = moac_scratch_acquire(shared_bytes") +
                  (teams() ? " + team*thread_bytes)" : ")"));
    printer.lines("else if (ws_bytes < shared_bytes" +
                  std::string(teams() ? " + thread_bytes" : "") + ") then\n" + failing);
    if (teams())
      printer.lines("else\n  team = min(team, (ws_bytes - shared_bytes)/thread_bytes)");
    printer.lines("end if\nif (.not. c_associated(ws)) then\n" + failing + "end if");
    printer.line("top = moac_align64(ws)");
  }

  /// Cuts the block: shared arrays, then a pool for each array of the threads.
  void cut() {
    for (const Scratch &scratch : kernel.scratch) {
      if (!isUsed(scratch.name))
        continue;
      printer.line("call moac_take(top," + breakMark() + "moac_round64(" +
                   printer.scratchBytes(scratch) + ")," + breakMark() + "taken)" +
                   printer.place(scratch.where));
      if (forDevice() && scratch.count.kind != Expr::Kind::Integer)
        printer.line("if (" + printer.expression(scratch.count, 12) + " == 0) taken = c_loc(nothing(2))");
      place(scratch.name, "taken", scratch.count);
    }
    for (const Pool &pool : legal.pools) {
      printer.line(fmt::format("{} = moac_round64({})/{}", pool.pitch,
                               printer.scratchBytes(pool.scratch), elemBytes(pool.scratch.type)));
      printer.line(fmt::format("call moac_take(top, team*moac_round64({}), taken)",
                               printer.scratchBytes(pool.scratch)));
      place(pool.name, "taken", apply(Op::mul_, {name("team"), name(pool.pitch)}));
    }
  }

  void run() {
    openFunction(legal.names.run, "", {"ws", "ws_bytes", "own"});
    Declarations locals(printer);
    declareSizes(locals);
    for (const Pool &pool : legal.pools)
      locals.add("integer(i64)", pool.pitch);
    locals.add("integer(c_intptr_t)", "top");
    locals.add("type(c_ptr)", "taken");
    for (const Scratch &scratch : kernel.scratch)
      if (isUsed(scratch.name))
        locals.add(type(scratch.type) + ", pointer, contiguous",
                   legal.places.at(scratch.name) + "(:)");
    for (const Pool &pool : legal.pools)
      locals.add(type(pool.scratch.type) + ", pointer, contiguous",
                 legal.places.at(pool.name) + "(:)");
    locals.print();
    declareEntry();
    begin();
    sizes(printer.statusName(Status::NoMemory));
    acquire();
    cut();
    places();
    callLoops();
    printer.line("if (own) call moac_scratch_release(ws)");
    closeProcedure(printer, "function");
  }

  /// Bytes of scratch memory, 0 for sizes that are refused and -1, the largest size_t, for too
  /// much.
  void size() {
    printer.blank();
    openProcedure(printer, "integer(c_size_t) function " + legal.names.size, scalarNames(),
                  breakMark() + "bind(C, name=\"" + kernel.name + "_ws_size\") result(status)");
    Declarations dummies(printer);
    declareScalars(dummies);
    dummies.print();
    Declarations locals(printer);
    declareSizes(locals);
    declareExtents(locals);
    locals.print();
    unused(demand.names());
    printExtentChecks(printer, kernel, "0", "-1");
    sizes("-1");
    printer.line(std::string("status = shared_bytes") + (teams() ? " + team*thread_bytes" : ""));
    closeProcedure(printer, "function");
  }

  void forward(const std::string &name, const std::string &cName,
               const std::vector<std::string> &last, const std::vector<std::string> &more) {
    openFunction(name, cName, more);
    std::vector<std::string> passed = argumentNames();
    passed.insert(passed.end(), last.begin(), last.end());
    printer.line("status = " + legal.names.run + "(" + join(passed, ",") + ")");
    closeProcedure(printer, "function");
  }

  Printer &printer;
  const FortranKernel &legal;
  const Kernel &kernel;
  Demand demand;
};

} // namespace

void printFortranKernel(Printer &printer, const FortranKernel &kernel) {
  printFortranNative(printer, kernel, kernel.names.native, kernel.names.entry);
  for (const FortranInterface::Resident &form : kernel.names.resident)
    printFortranNative(printer, kernel, form.native, form.entry);
  KernelProcedures(printer, kernel).print();
}

} // namespace moac::emit
