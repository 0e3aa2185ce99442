# The CUDA toolkit, all of it optional: HOCKET_NVCC, HOCKET_PTXAS,
# HOCKET_LIBDEVICE, and the folders of headers that tests compare ours with. The
# first that is there counts, as for the compiler (lib/CodeGen/Gpu/Toolkit.h).
set(cuda_folders $ENV{CUDA_HOME} $ENV{CUDA_PATH})
find_program(cuda_program NAMES nvcc ptxas NO_CACHE)
if(cuda_program)
  # What is on PATH may be a link into the toolkit.
  file(REAL_PATH ${cuda_program} cuda_program)
  cmake_path(GET cuda_program PARENT_PATH cuda_toolkit)
  cmake_path(GET cuda_toolkit PARENT_PATH cuda_toolkit)
  list(APPEND cuda_folders ${cuda_toolkit})
endif()
if(NOT "$ENV{XDG_DATA_HOME}" STREQUAL "")
  list(APPEND cuda_folders $ENV{XDG_DATA_HOME}/hocket/cuda)
else()
  list(APPEND cuda_folders $ENV{HOME}/.local/share/hocket/cuda)
endif()
list(APPEND cuda_folders /usr/local/cuda)

find_program(HOCKET_NVCC nvcc
  PATHS ${cuda_folders} PATH_SUFFIXES bin NO_DEFAULT_PATH)
find_program(HOCKET_PTXAS ptxas
  PATHS ${cuda_folders} PATH_SUFFIXES bin NO_DEFAULT_PATH)
find_file(HOCKET_LIBDEVICE libdevice.10.bc
  PATHS ${cuda_folders} PATH_SUFFIXES nvvm/libdevice NO_DEFAULT_PATH)
if(NOT HOCKET_LIBDEVICE)
  find_file(HOCKET_LIBDEVICE nvptx64--.bc PATHS /usr/lib/clc NO_DEFAULT_PATH)
endif()
find_path(HOCKET_CUDA_INCLUDE cuda.h
  HINTS ${cuda_folders} PATH_SUFFIXES include)
find_path(HOCKET_CUBLASLT_INCLUDE cublasLt.h
  HINTS ${cuda_folders} PATH_SUFFIXES include)
find_path(HOCKET_CUDNN_INCLUDE cudnn.h
  HINTS ${cuda_folders} PATH_SUFFIXES include)
