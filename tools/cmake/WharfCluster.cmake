# Whether the raft core is built, and how: Go of Debian, with the sources of Debian, offline.

find_program(GO go HINTS /usr/lib/go-1.19/bin /usr/lib/go/bin)
find_path(GO_SOURCES go.etcd.io/etcd/raft/rawnode.go PATHS /usr/share/gocode/src)

if(GO AND GO_SOURCES)
  set(has_core ON)
else()
  set(has_core OFF)
endif()
# Looked at each time: Go may be installed between two builds.
set(WHARF_CLUSTER AUTO CACHE STRING "Whether the raft core is built, which only nodes of a cluster need: ON, OFF or AUTO")
if(WHARF_CLUSTER STREQUAL AUTO)
  set(WHARF_CLUSTER ${has_core})
endif()
if(WHARF_CLUSTER AND NOT has_core)
  message(FATAL_ERROR "WHARF_CLUSTER=ON needs Go and the raft core's sources: tools/setup cluster")
elseif(NOT WHARF_CLUSTER)
  message(STATUS "WHARF_CLUSTER is off: no replication (tools/setup cluster installs what it needs)")
endif()

# wharf_go_library(<name> <folder> <file>...): lib<name>.so from the Go package in this folder, beside the programs. What
# Go keeps of its builds is in the folder of the build. Without DWARF: the package names variables of others.
function(wharf_go_library name folder)
  set(library ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/lib${name}.so)
  cmake_path(GET GO_SOURCES PARENT_PATH go_path)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/ OUTPUT_VARIABLE sources)
  add_custom_command(
    OUTPUT ${library}
    COMMAND ${CMAKE_COMMAND} -E env
      GO111MODULE=off GOFLAGS= GOPATH=${go_path} GOCACHE=${CMAKE_BINARY_DIR}/go-cache CGO_ENABLED=1 CC=cc
      ${GO} build -p 2 -trimpath -ldflags=-w -buildmode=c-shared -o ${library} .
    # The header that Go writes tells nothing that ours does not.
    COMMAND ${CMAKE_COMMAND} -E rm -f ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/lib${name}.h
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/${folder}
    DEPENDS ${sources}
    COMMENT "Building lib${name}.so"
    VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${library})
  set_target_properties(${name} PROPERTIES LIBRARY ${library})
endfunction()
