# How every room of Wharf is compiled: C++20, warnings are errors, the sanitizers of the preset.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# ccache, told that a precompiled header is as good as its content (sloppiness), and to share what it keeps between
# all clones and worktrees: paths below the repository are cut short, the folder of the build does not count.
find_program(CCACHE ccache)
if(CCACHE)
  set(ccache ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
    CCACHE_NOHASHDIR=true
    ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${ccache})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ccache})
  # What ccache needs of the compilers: gcc names the precompiled header when it preprocesses, clang leaves the time
  # of day out of it.
  add_compile_options(
    $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
    "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

# Most of the time that a file takes goes into its headers. So the release build compiles the files of a room ten at
# a time, as one: their unnamed namespaces then share their names. That each file stands alone the other presets see.
option(WHARF_UNITY "Compile the files of a room several at a time" OFF)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 10)

# wharf_unity(<target> <file>...): all but these files, which use names for things of their own that their neighbours
# use, too, as commands do for their verbs. A new file moves those behind it on; where the compiler then finds a name
# twice in a piece, one of the two files belongs here.
function(wharf_unity target)
  if(NOT WHARF_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  # To gcc a file in a piece looks like a header, whose unnamed namespaces would be a fault.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# wharf_unity_by_folder(<target>): a piece for each of its folders, however many files that has.
function(wharf_unity_by_folder target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    if(folder)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder})
    endif()
  endforeach()
endfunction()

# After a change of the core twenty programs are linked anew.
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

set(WHARF_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=")
if(WHARF_SANITIZE)
  add_compile_options(-fsanitize=${WHARF_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${WHARF_SANITIZE})
endif()
# The thread sanitizer does not understand fences. Asio's queues are guarded by mutexes, so it is right without.
if(WHARF_SANITIZE MATCHES thread)
  add_compile_definitions(BOOST_ASIO_DISABLE_FENCED_BLOCK WHARF_THREAD_SANITIZER)
  add_link_options(-Wl,--version-script=${CMAKE_SOURCE_DIR}/tests/tsan.map)
endif()

# Broken on purpose, to show that the tests notice; see storage/base/mutant.h. Never in a build that serves.
set(WHARF_MUTANT "" CACHE STRING "The promise that this build breaks on purpose")
set_property(CACHE WHARF_MUTANT PROPERTY STRINGS
  "" no-sync publish-before-commit forgotten-lock-row cursor-one-too-far
  answer-before-quorum answer-before-sync vote-not-stored forwarding no-read-index)
set(WHARF_MUTANT_no-sync kNoSync)
set(WHARF_MUTANT_publish-before-commit kPublishBeforeCommit)
set(WHARF_MUTANT_forgotten-lock-row kForgottenLockRow)
set(WHARF_MUTANT_cursor-one-too-far kCursorOneTooFar)
set(WHARF_MUTANT_answer-before-quorum kAnswerBeforeQuorum)
set(WHARF_MUTANT_answer-before-sync kAnswerBeforeSync)
set(WHARF_MUTANT_vote-not-stored kVoteNotStored)
set(WHARF_MUTANT_forwarding kForwarding)
set(WHARF_MUTANT_no-read-index kNoReadIndex)
if(WHARF_MUTANT AND NOT WHARF_MUTANT_${WHARF_MUTANT})
  message(FATAL_ERROR "WHARF_MUTANT=${WHARF_MUTANT} is not one of storage/base/mutant.h")
endif()

# A copy of the sources, with small faults behind switches: see tools/mutate. What a fault makes of a line may deserve
# a warning. Never in a build that serves.
option(WHARF_FAULTS "The sources hold faults of tools/mutate" OFF)

# Assertions stay on in the optimised build: a broker that stops is healthy, one that goes on wrongly is not.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")

# What is installed is hardened as packages of Debian are; sanitizers look themselves. Some compilers do it unasked.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -O2)
check_cxx_source_compiles("#ifdef _FORTIFY_SOURCE\n#error\n#endif\nint main() {}" WHARF_MUST_FORTIFY)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT WHARF_SANITIZE)
  if(WHARF_MUST_FORTIFY)
    add_compile_options($<$<CONFIG:RelWithDebInfo>:-D_FORTIFY_SOURCE=2>)
  endif()
  add_link_options(-Wl,-z,relro,-z,now)
endif()

# wharf_compile(<target>): the house's warnings; includes start at the top of the repository.
function(wharf_compile target)
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Werror)
  # The others hold no faults, and stay as the release build, and its ccache, has them.
  if(WHARF_FAULTS AND CMAKE_CURRENT_SOURCE_DIR MATCHES "^${CMAKE_SOURCE_DIR}/(broker|storage|replication)")
    target_compile_options(${target} PRIVATE -w -Wno-narrowing)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE -Wthread-safety)
  endif()
endfunction()

# wharf_room(<name> SOURCES ... LINKS ... [APART ...]): a library of one room; APART: see wharf_unity.
function(wharf_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;LINKS;APART" ${ARGN})
  add_library(${name} STATIC ${ROOM_SOURCES})
  wharf_unity(${name} ${ROOM_APART})
  target_link_libraries(${name} PUBLIC ${ROOM_LINKS})
  wharf_compile(${name})
endfunction()

# wharf_test_environment(<test>...): what every test needs; a daemon that a test starts has it, too, and ends at its
# first race.
function(wharf_test_environment)
  if(WHARF_SANITIZE MATCHES thread)
    set_tests_properties(${ARGN} PROPERTIES
      ENVIRONMENT "TSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/tsan.supp halt_on_error=1")
  endif()
endfunction()

# wharf_test(<name> SOURCES ... LINKS ... [APART ...]): the test binary of one room, run by ctest.
function(wharf_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;LINKS;APART" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  wharf_unity(${name} ${TEST_APART})
  target_link_libraries(${name} PRIVATE ${TEST_LINKS} GTest::gmock GTest::gtest_main)
  wharf_compile(${name})
  # A third of a test's build went into making it faster than it need be.
  target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
  if(WHARF_FAULTS)
    set(reach_rows ${CMAKE_SOURCE_DIR}/tools/mutate/reach_rows.cc)
    set_source_files_properties(${reach_rows} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    target_sources(${name} PRIVATE ${reach_rows})
  endif()
  add_test(NAME ${name} COMMAND ${name})
  # CTest waits for ever by default: a test that hangs is to be named, under a sanitizer as well.
  set_tests_properties(${name} PROPERTIES TIMEOUT 1200)
  wharf_test_environment(${name})
endfunction()

# wharf_mutable(<target> <file>...): these files of a room read storage/base/mutant.h; only they are compiled
# anew for a mutant.
function(wharf_mutable target)
  if(WHARF_MUTANT)
    set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES
      COMPILE_DEFINITIONS WHARF_MUTANT_IS=${WHARF_MUTANT_${WHARF_MUTANT}})
  endif()
endfunction()
