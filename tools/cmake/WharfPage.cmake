# The page of the console: TypeScript, made into a source of C++ by esbuild where Node is, and left out where it is not.

find_program(NODE node)
find_program(NPM npm)

# wharf_page(<target> <folder>): compiles the page of this folder into the target, or the words that there is none. What
# npm has of it is fetched here, when its lock file is new: a build needs no network, and nothing of it at all unless
# the page changed.
function(wharf_page target folder)
  set(files ${CMAKE_CURRENT_SOURCE_DIR}/no_page_files.cc)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source}/package-lock.json)
  set(has_page OFF)
  set(failed "there is no Node, or no npm")
  if(NODE AND NPM)
    execute_process(COMMAND ${CMAKE_SOURCE_DIR}/tools/modules ${source} RESULT_VARIABLE failed OUTPUT_QUIET)
  endif()
  if(failed)
    message(WARNING "wharfd is built without the console's page: "
      "what makes it could not be had (${failed}). The daemon is whole but for that; `tools/setup page` installs it.")
  else()
    set(files ${CMAKE_CURRENT_BINARY_DIR}/page_files.cc)
    # It tells Ninja what it has read.
    add_custom_command(
      OUTPUT ${files}
      COMMAND ${NODE} ${source}/build.mjs ${files} ${files}.d
      DEPENDS ${source}/build.mjs
      DEPFILE ${files}.d
      COMMENT "Making the console's page"
      VERBATIM)
    set(has_page ON)
  endif()
  set_source_files_properties(${files} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${files})
  # For the tests of the page.
  set(WHARF_HAS_PAGE ${has_page} CACHE INTERNAL "wharfd has the console's page")
endfunction()
