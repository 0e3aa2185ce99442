# MLIR's headers, read once for all libraries: they take more than half of the
# time that compiling a file takes. hocket_precompiled_mlir(target) has a target
# read them so.
#
# clang's file holds no time and no path of this tree: it is the same in every
# clone, so that the compiler cache knows what was compiled with it. CMake's own
# would name the build folder.

if(HOCKET_RUNTIME_ONLY)
  return()
endif()

set(HOCKET_MLIR_HEADERS
  map set functional
  llvm/ADT/TypeSwitch.h
  mlir/Bytecode/BytecodeOpInterface.h
  mlir/Dialect/Func/IR/FuncOps.h
  mlir/IR/Builders.h
  mlir/IR/BuiltinOps.h
  mlir/IR/BuiltinTypes.h
  mlir/IR/Dialect.h
  mlir/IR/OpDefinition.h
  mlir/IR/OpImplementation.h
  mlir/Interfaces/InferTypeOpInterface.h
  mlir/Interfaces/SideEffectInterfaces.h)

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(HOCKET_EMPTY_SOURCE ${PROJECT_BINARY_DIR}/MlirHeaders.cpp)
  if(NOT EXISTS ${HOCKET_EMPTY_SOURCE})
    file(WRITE ${HOCKET_EMPTY_SOURCE} "")
  endif()
  add_library(HocketMlirHeaders STATIC ${HOCKET_EMPTY_SOURCE})
  target_include_directories(HocketMlirHeaders SYSTEM PRIVATE
    ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  list(TRANSFORM HOCKET_MLIR_HEADERS REPLACE "(.+)" "<\\1>")
  target_precompile_headers(HocketMlirHeaders PRIVATE ${HOCKET_MLIR_HEADERS})
  function(hocket_precompiled_mlir name)
    get_target_property(type ${name} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      target_precompile_headers(${name} REUSE_FROM HocketMlirHeaders)
    endif()
  endfunction()
  return()
endif()

# One of the headers is compiled, with the others before it.
find_file(HOCKET_MAIN_HEADER mlir/IR/Builders.h REQUIRED NO_DEFAULT_PATH
  PATHS ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
mark_as_advanced(HOCKET_MAIN_HEADER)
string(TOUPPER "${CMAKE_BUILD_TYPE}" HOCKET_CONFIGURATION)
separate_arguments(HOCKET_HEADER_FLAGS UNIX_COMMAND
  "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${HOCKET_CONFIGURATION}}")
foreach(folder ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  list(APPEND HOCKET_HEADER_FLAGS -isystem ${folder})
endforeach()
foreach(header ${HOCKET_MLIR_HEADERS})
  list(APPEND HOCKET_HEADER_FLAGS -include ${header})
endforeach()
set(HOCKET_MLIR_PCH ${PROJECT_BINARY_DIR}/MlirHeaders.pch)
add_custom_command(OUTPUT ${HOCKET_MLIR_PCH}
  COMMAND ${CMAKE_CXX_COMPILER} ${HOCKET_HEADER_FLAGS}
    ${HOCKET_SANITIZE_OPTIONS} -std=c++${CMAKE_CXX_STANDARD} -fPIC
    -fpch-instantiate-templates -Xclang -fno-pch-timestamp
    -MD -MF ${HOCKET_MLIR_PCH}.d -MT MlirHeaders.pch
    -x c++-header ${HOCKET_MAIN_HEADER} -o ${HOCKET_MLIR_PCH}
  DEPFILE ${HOCKET_MLIR_PCH}.d
  COMMENT "Precompiling MLIR's headers" VERBATIM)
add_custom_target(HocketMlirHeaders DEPENDS ${HOCKET_MLIR_PCH})

function(hocket_precompiled_mlir name)
  # They were compiled as what goes into a library.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC -Winvalid-pch
    "SHELL:-Xclang -include-pch -Xclang ${HOCKET_MLIR_PCH}")
  add_dependencies(${name} HocketMlirHeaders)
  get_target_property(sources ${name} SOURCES)
  set_property(SOURCE ${sources} APPEND PROPERTY
    OBJECT_DEPENDS ${HOCKET_MLIR_PCH})
endfunction()
