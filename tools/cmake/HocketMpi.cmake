# What is needed to compile against each MPI library that is installed, which
# its own compiler says: <PREFIX>_INCLUDES and <PREFIX>_LIBRARIES, in the scope
# of the caller. Both are empty where it is not there.
function(hocket_find_mpi prefix)
  find_program(${prefix}_COMPILER NAMES ${ARGN})
  set(includes)
  set(libraries)
  if(${prefix}_COMPILER)
    execute_process(COMMAND ${${prefix}_COMPILER} -show
      OUTPUT_VARIABLE shown ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX MATCHALL " -I[^ ]+" includes "${shown}")
    string(REGEX MATCHALL " -[lL][^ ]+" libraries "${shown}")
    list(TRANSFORM includes REPLACE "^ -I" "")
    list(TRANSFORM libraries STRIP)
  endif()
  set(${prefix}_INCLUDES ${includes} PARENT_SCOPE)
  set(${prefix}_LIBRARIES ${libraries} PARENT_SCOPE)
endfunction()
