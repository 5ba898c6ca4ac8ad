# moac_add_kernels: a library from .moa files, built with the project that uses it.
#
#     find_package(moac REQUIRED)
#     moac_add_kernels(kernels SOURCES attention.moa TARGETS c-openmp)
#     target_link_libraries(app PRIVATE kernels)          # and in C: #include "attention.h"
#
# Each source is compiled to C at build time, again whenever it, a file it imports or the compiler changes. `kernels` is
# a static library whose headers its users see. In Fortran it is the same library with the same headers, and a module
# NAME_kernels for each source:
#
#     project(app LANGUAGES C Fortran)
#     moac_add_kernels(kernels SOURCES attention.moa TARGETS fortran-openmp)
#     target_link_libraries(app PRIVATE kernels)          # and in Fortran: use attention_kernels
#
# Arguments:
#
#   SOURCES  file...      .moa files
#   TARGETS  name         language to emit: c-openmp, the default, fortran-openmp, c-openacc or fortran-openacc (for GPUs,
#                         where the flags say so; else the host does the work)
#   BIND     SYMBOL=n...  symbols that become constants
#   IMPORTS  folder...    where imported files are looked for
#   FLAGS    flag...      flags of the compiler instead of MOAC_KERNEL_FLAGS
#   STANDALONE            no reference to libmoac-runtime
#
# The flags matter: -std=c11 switches gcc's fused multiply-add off, and without -march the vectors are short. Emitted C
# is right without them too.
include_guard(GLOBAL)

set(MOAC_KERNEL_FLAGS -O3 -march=native -ffp-contract=fast CACHE STRING "compiler flags for emitted kernels")

# OpenMP by flag and not by FindOpenMP, which wants every enabled language to have it: kernels are C.
function(moac_check_openacc result)
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -fopenacc)
  set(CMAKE_REQUIRED_LINK_OPTIONS -fopenacc)
  set(CMAKE_REQUIRED_QUIET ON)
  check_c_source_compiles("#ifndef _OPENACC\nno\n#endif\nint main(void) { return 0; }" MOAC_C_HAS_OPENACC)
  set(${result} ${MOAC_C_HAS_OPENACC} PARENT_SCOPE)
endfunction()

function(moac_check_fortran_openacc result)
  include(CheckFortranSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -fopenacc)
  set(CMAKE_REQUIRED_LINK_OPTIONS -fopenacc)
  set(CMAKE_REQUIRED_QUIET ON)
  check_fortran_source_compiles("program p\nuse openacc\nend program" MOAC_FORTRAN_HAS_OPENACC SRC_EXT F90)
  set(${result} ${MOAC_FORTRAN_HAS_OPENACC} PARENT_SCOPE)
endfunction()

function(moac_check_openmp result)
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -fopenmp)
  set(CMAKE_REQUIRED_LINK_OPTIONS -fopenmp)
  set(CMAKE_REQUIRED_QUIET ON)
  check_c_source_compiles("int omp_get_max_threads(void); int main(void) { return omp_get_max_threads() < 1; }"
    MOAC_C_HAS_OPENMP)
  set(${result} ${MOAC_C_HAS_OPENMP} PARENT_SCOPE)
endfunction()

function(moac_check_fortran_openmp result)
  include(CheckFortranSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -fopenmp)
  set(CMAKE_REQUIRED_LINK_OPTIONS -fopenmp)
  set(CMAKE_REQUIRED_QUIET ON)
  check_fortran_source_compiles("program p\nuse omp_lib\nif (omp_get_max_threads() < 1) stop 1\nend program"
    MOAC_FORTRAN_HAS_OPENMP SRC_EXT F90)
  set(${result} ${MOAC_FORTRAN_HAS_OPENMP} PARENT_SCOPE)
endfunction()

function(moac_add_kernels name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "STANDALONE" "" "SOURCES;TARGETS;BIND;IMPORTS;FLAGS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "moac_add_kernels(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "moac_add_kernels(${name}): no SOURCES")
  endif()
  set(parallel -fopenmp)
  if(NOT arg_TARGETS OR arg_TARGETS STREQUAL "c-openmp")
    set(target c-openmp)
    set(language C)
    set(extension c)
  elseif(arg_TARGETS STREQUAL "c-openacc")
    set(target c-openacc)
    set(language C)
    set(extension c)
    set(parallel -fopenacc)
  elseif(arg_TARGETS MATCHES "^fortran-open(mp|acc)$")
    set(target ${arg_TARGETS})
    set(language Fortran)
    set(extension f90)
    if(target STREQUAL "fortran-openacc")
      set(parallel -fopenacc)
    endif()
    if(NOT CMAKE_Fortran_COMPILER_LOADED)
      message(FATAL_ERROR "moac_add_kernels(${name}): the project does not have the language Fortran")
    endif()
  else()
    message(FATAL_ERROR "moac_add_kernels(${name}): TARGETS may be c-openmp, fortran-openmp, c-openacc or fortran-openacc, not '${arg_TARGETS}'")
  endif()
  if(NOT DEFINED arg_FLAGS)
    set(arg_FLAGS ${MOAC_KERNEL_FLAGS})
  endif()

  set(options --target ${target})
  foreach(binding IN LISTS arg_BIND)
    list(APPEND options --bind ${binding})
  endforeach()
  foreach(folder IN LISTS arg_IMPORTS)
    get_filename_component(folder ${folder} ABSOLUTE)
    list(APPEND options -I ${folder})
  endforeach()
  if(arg_STANDALONE)
    list(APPEND options --standalone)
  endif()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.moac)
  set(generated)
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(source ${source} ABSOLUTE)
    get_filename_component(stem ${source} NAME_WLE)
    set(output ${folder}/${stem}.${extension})
    if(output IN_LIST generated)
      message(FATAL_ERROR "moac_add_kernels(${name}): two sources are called ${stem}")
    endif()
    add_custom_command(
      OUTPUT ${output} ${folder}/${stem}.h
      COMMAND moac::moac compile ${source} -o ${folder} --depfile ${folder}/${stem}.d ${options}
      DEPENDS ${source} moac::moac
      DEPFILE ${folder}/${stem}.d
      COMMENT "Compiling ${stem}.moa to ${language}"
      VERBATIM)
    list(APPEND generated ${output})
  endforeach()

  add_library(${name} STATIC ${generated})
  set_target_properties(${name} PROPERTIES
    C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS ON POSITION_INDEPENDENT_CODE ON LINKER_LANGUAGE ${language}
    Fortran_MODULE_DIRECTORY ${folder})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${folder}>)
  target_compile_options(${name} PRIVATE ${arg_FLAGS})
  if(language STREQUAL "Fortran" AND CMAKE_Fortran_COMPILER_ID STREQUAL "GNU")
    # Fortran has no word for inlining; exponentials in lane loops are worth it.
    target_compile_options(${name} PRIVATE "SHELL:--param max-inline-insns-auto=400")
    # Emitted C asks for whole vectors itself; a Fortran file cannot.
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      target_compile_options(${name} PRIVATE -mprefer-vector-width=512)
    endif()
  endif()
  target_link_libraries(${name} PUBLIC m)
  if(NOT arg_STANDALONE)
    target_link_libraries(${name} PUBLIC moac::runtime)
  endif()
  if(target STREQUAL "c-openacc")
    moac_check_openacc(available)
  elseif(target STREQUAL "fortran-openacc")
    moac_check_fortran_openacc(available)
  elseif(language STREQUAL "C")
    moac_check_openmp(available)
  else()
    moac_check_fortran_openmp(available)
  endif()
  if(available)
    target_compile_options(${name} PRIVATE ${parallel})
    target_link_options(${name} PUBLIC ${parallel})
  endif()
endfunction()
