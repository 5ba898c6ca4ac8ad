// Fortran 2018 with OpenACC, as data: Fortran's table with other directives; see AccC.cpp.
#include "emitters/Acc.h"
#include "emitters/Fortran.h"
#include "emitters/FortranNames.h"

#include <algorithm>

namespace moac::emit {
namespace {

const std::vector<std::string_view> &internalWords() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> all = fortranInternal();
    all.push_back("resident");
    std::sort(all.begin(), all.end());
    return all;
  }();
  return words;
}

LangTraits make() {
  using tree::Piece;
  const Text none("");
  LangTraits lang = fortranTraits();
  lang.name = "fortran with openacc";
  lang.teamOpen = lang.region = lang.workshareLoop = lang.threadSlot = lang.scratch =
      unsupported("OpenACC has no threads that take slices");
  lang.teamLoop = "!$acc parallel loop{clauses}";
  lang.teamLoopClose = "!$acc end parallel loop";
  lang.blockLoop = lang.laneLoop = "!$acc loop{clauses}";
  lang.clauseThreads = lang.clauseEven = lang.clauseUneven = none;
  lang.laneReductions = {{Op::add_, "\treduction(+: {name})"},
                         {Op::mul_, "\treduction(*: {name})"},
                         {Op::max_, "\treduction(max: {name})"},
                         {Op::min_, "\treduction(min: {name})"}};
  lang.residentForms = {"_device"};
  lang.memoryForms = {};
  lang.deviceArguments = "!$acc data if(.not. resident){clauses}";
  lang.deviceBuffers = "!$acc data{clauses}";
  lang.deviceDataClose = "!$acc end data";
  lang.deviceSerial = "!$acc parallel num_gangs(1) num_workers(1) vector_length(32){clauses}";
  lang.deviceSerialClose = "!$acc end parallel";
  lang.clausePieces = {{Piece::Way::Present, "\tpresent({name}(0:{count} - 1))"},
                       {Piece::Way::In, "\tcopyin({name}(0:{count} - 1))"},
                       {Piece::Way::Out, "\tcopyout({name}(0:{count} - 1))"},
                       {Piece::Way::Create, "\tcreate({name}(0:{count} - 1))"},
                       {Piece::Way::Scalar, "\tcopy({name})"}};
  lang.clauseLevels = {{tree::Gang, " gang"}, {tree::Worker, " worker"}, {tree::Vector, " vector"}};
  lang.clauseGangs = "\tnum_gangs({n})";
  lang.clauseWorkers = "\tnum_workers({n}) vector_length(32)";
  lang.outerLanes = true;
  lang.directivePrefix = "!$acc";
  lang.directiveResume = "!$acc ";
  lang.names.internal = &internalWords();
  lang.names.reservedPrefixes.push_back("acc_");
  return lang;
}

} // namespace

const LangTraits &accFortranTraits() {
  static const LangTraits traits = make();
  return traits;
}

} // namespace moac::emit
