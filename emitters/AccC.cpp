// C11 with OpenACC, as data: C's table with other directives.
//
// A loop says by itself who shares its iterations; numbers of workers and lanes are always explicit,
// since compilers choose badly. Arrays stand in exactly one data clause of each construct, with
// their lengths.
#include "emitters/Acc.h"
#include "emitters/C.h"
#include "emitters/CNames.h"
#include "emitters/Names.h"

namespace moac::emit {
namespace {

LangTraits make() {
  using tree::Piece;
  const Text none("");
  LangTraits lang = cTraits();
  lang.name = "c with openacc";
  lang.gather = lang.meet = unsupported("only the C target for hosts calls the SHMEM layer");
  lang.prefetch = lang.prefetchRead = unsupported("OpenACC has no prefetch");
  lang.teamOpen = lang.region = lang.workshareLoop = lang.threadSlot = lang.scratch =
      unsupported("OpenACC has no threads that take slices");
  lang.teamLoop = "#pragma acc parallel loop{clauses}";
  lang.blockLoop = lang.laneLoop = "#pragma acc loop{clauses}";
  lang.clauseThreads = lang.clauseEven = lang.clauseUneven = none;
  lang.laneReductions = {{Op::add_, "\treduction(+ : {name})"},
                         {Op::mul_, "\treduction(* : {name})"},
                         {Op::max_, "\treduction(max : {name})"},
                         {Op::min_, "\treduction(min : {name})"}};
  lang.residentForms = {"_device"};
  lang.memoryForms = {};
  lang.deviceArguments = "#pragma acc data if(!resident){clauses}\n{";
  lang.deviceBuffers = "#pragma acc data{clauses}\n{";
  lang.deviceDataClose = "}";
  lang.deviceSerial = "#pragma acc parallel num_gangs(1) num_workers(1) vector_length(32){clauses}\n{";
  lang.deviceSerialClose = "}";
  lang.clausePieces = {{Piece::Way::Present, "\tpresent({name}[0:{count}])"},
                       {Piece::Way::In, "\tcopyin({name}[0:{count}])"},
                       {Piece::Way::Out, "\tcopyout({name}[0:{count}])"},
                       {Piece::Way::Create, "\tcreate({name}[0:{count}])"},
                       {Piece::Way::Scalar, "\tcopy({name})"}};
  lang.clauseLevels = {{tree::Gang, " gang"}, {tree::Worker, " worker"}, {tree::Vector, " vector"}};
  lang.clauseGangs = "\tnum_gangs({n})";
  lang.clauseWorkers = "\tnum_workers({n}) vector_length(32)";
  lang.outerLanes = true;
  static const std::vector<std::string_view> internal =
      wordList("status ws top resident shared_bytes");
  lang.names.internal = &internal;
  lang.names.reservedPrefixes.push_back("acc_");
  return lang;
}

} // namespace

const LangTraits &accCTraits() {
  static const LangTraits traits = make();
  return traits;
}

} // namespace moac::emit
