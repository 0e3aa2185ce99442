# hocket_add_program(NAME FILE.hkt [SCHEDULE schedule] [DEFINE name=value...]
#   [OPTIONS option...] [DEPENDS file...])
#
# Compiles a program to lib<NAME>.so in the current binary folder, again when
# FILE or one of DEPENDS (files that it imports) changes. NAME is a library to
# link to, whose own program hocket_load(NULL, ...) loads, and
# $<TARGET_FILE:NAME> the path by which any program can load it.
function(hocket_add_program name file)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "SCHEDULE" "DEFINE;OPTIONS;DEPENDS")
  if(ARG_UNPARSED_ARGUMENTS OR ARG_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "hocket_add_program(${name} ...): unexpected "
      "'${ARG_UNPARSED_ARGUMENTS}${ARG_KEYWORDS_MISSING_VALUES}'; it takes "
      "SCHEDULE, DEFINE, OPTIONS and DEPENDS, each with values")
  endif()
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set(options ${ARG_OPTIONS})
  if(ARG_SCHEDULE)
    list(APPEND options --schedule ${ARG_SCHEDULE})
  endif()
  foreach(define ${ARG_DEFINE})
    list(APPEND options -D ${define})
  endforeach()
  set(library ${CMAKE_CURRENT_BINARY_DIR}/lib${name}.so)
  add_custom_command(OUTPUT ${library}
    COMMAND Hocket::hocket compile ${file} ${options} --emit=shared -o ${library}
    DEPENDS ${file} ${ARG_DEPENDS} Hocket::hocket VERBATIM)
  add_custom_target(${name}-program DEPENDS ${library})
  add_library(${name} SHARED IMPORTED GLOBAL)
  get_target_property(includes Hocket::library INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(${name} PROPERTIES
    IMPORTED_LOCATION ${library} IMPORTED_NO_SONAME TRUE
    INTERFACE_INCLUDE_DIRECTORIES ${includes})
  add_dependencies(${name} ${name}-program)
endfunction()
