# The project's build rules: compiler settings, packages, and one function for
# each kind of target.

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Installed programs find LLVM where it was linked.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths of this tree are taken relative to its build folder, so that what one
  # clone has compiled serves every other; debug information names the folder.
  # The sloppiness is what ccache asks for to cache what reads precompiled
  # headers.
  set(HOCKET_CCACHE_FOLDER CCACHE_BASEDIR=${PROJECT_SOURCE_DIR})
  if(CMAKE_BUILD_TYPE STREQUAL Release)
    list(APPEND HOCKET_CCACHE_FOLDER CCACHE_NOHASHDIR=1)
  endif()
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    ${HOCKET_CCACHE_FOLDER}
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    ${CCACHE_PROGRAM})
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
set(HOCKET_SANITIZE_OPTIONS)
if(HOCKET_SANITIZE)
  # A finding ends the program, so that no test passes with one.
  set(HOCKET_SANITIZE_OPTIONS -fsanitize=${HOCKET_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_compile_options(${HOCKET_SANITIZE_OPTIONS})
  add_link_options(-fsanitize=${HOCKET_SANITIZE})
endif()

find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)

# The only version of LLVM and MLIR this tree is written and tested against.
set(HOCKET_LLVM_MAJOR 22)
if(NOT HOCKET_RUNTIME_ONLY)
  find_package(MLIR REQUIRED CONFIG
    HINTS /usr/lib/llvm-${HOCKET_LLVM_MAJOR}/lib/cmake/mlir)
  if(NOT LLVM_VERSION_MAJOR EQUAL HOCKET_LLVM_MAJOR)
    message(FATAL_ERROR "Hocket is written for LLVM and MLIR "
      "${HOCKET_LLVM_MAJOR}; found ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")
  endif()
  list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
  include(TableGen)
  include(AddLLVM)
  include(AddMLIR)
endif()

include(MlirHeaders)
include(HocketMpi)
include(HocketCuda)

# Where TableGen writes headers and where our own public headers live.
set(HOCKET_INCLUDES
  ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_SOURCE_DIR}/runtime/include
  ${PROJECT_SOURCE_DIR}
  ${PROJECT_BINARY_DIR})

# hocket_library(Name source... [LINK lib...] [MLIR])
# A static library; MLIR adds LLVM's headers and the shared MLIR and LLVM.
function(hocket_library name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC ${HOCKET_INCLUDES})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_MLIR)
    hocket_use_mlir(${name})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# LLVM's headers as system headers, its shared libraries, and no exceptions
# across them.
function(hocket_use_mlir name)
  hocket_precompiled_mlir(${name})
  target_include_directories(${name} SYSTEM PUBLIC
    ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_link_libraries(${name} PUBLIC MLIR LLVM)
endfunction()

# hocket_tool(name source... LINK lib... [MLIR]) puts bin/name.
function(hocket_tool name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${HOCKET_INCLUDES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(ARG_MLIR)
    hocket_use_mlir(${name})
  endif()
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()

# hocket_unittest(Name source... LINK lib...) puts test/bin/Name, a GoogleTest
# program that tools/dev/test runs.
function(hocket_unittest name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${HOCKET_INCLUDES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} HocketTestPaths
    GTest::gtest_main)
  if(ARG_MLIR)
    hocket_use_mlir(${name})
  endif()
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/bin)
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# hocket_tablegen(out.inc from.td flags...): one generated file; the caller
# collects them with add_public_tablegen_target.
macro(hocket_tablegen out td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  mlir_tablegen(${out} ${ARGN} EXTRA_INCLUDES
    ${PROJECT_SOURCE_DIR} ${MLIR_INCLUDE_DIRS})
endmacro()
