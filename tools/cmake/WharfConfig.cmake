# find_package(Wharf): Wharf::client, the client library in C++ of the package wharf-dev. Its headers are included as
# in the examples: "tools/client/client.h".

include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(absl)
find_dependency(fmt)
find_dependency(spdlog)
find_dependency(Protobuf)
find_dependency(OpenSSL)
find_dependency(PkgConfig)
pkg_check_modules(WHARF_GRPC REQUIRED IMPORTED_TARGET grpc++)

cmake_path(SET wharf_root NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../..")
if(NOT TARGET Wharf::client)
  add_library(Wharf::client STATIC IMPORTED)
  set_target_properties(Wharf::client PROPERTIES
    IMPORTED_LOCATION ${wharf_root}/lib/libwharf-client.a
    INTERFACE_INCLUDE_DIRECTORIES ${wharf_root}/include/wharf
    INTERFACE_COMPILE_FEATURES cxx_std_20
    INTERFACE_LINK_LIBRARIES
      "protobuf::libprotobuf;PkgConfig::WHARF_GRPC;absl::any_invocable;absl::btree;absl::flat_hash_map;absl::hash;absl::random_random;absl::span;absl::strings;fmt::fmt;spdlog::spdlog;OpenSSL::Crypto;Threads::Threads")
endif()
