# The Debian packages: wharf, which runs a broker, and wharf-dev, with which C++ programs talk to one. tools/package
# makes them; nothing here is built or installed without it.

set(package_files ${CMAKE_BINARY_DIR}/package_files)
set(documents share/doc)

# What the programs print of themselves, and what is made of other files.
add_custom_target(package_files
  COMMAND ${CMAKE_SOURCE_DIR}/tools/cmake/package_files
    ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${package_files}
    "$<$<BOOL:${WHARF_CLUSTER}>:$<TARGET_PROPERTY:wharfraft,LIBRARY>>"
    $<TARGET_FILE:wharf_client> $<TARGET_FILE:wharf_access> $<TARGET_FILE:wharf_base> $<TARGET_FILE:wharf_proto>
  DEPENDS wharfd wharf wharf_client
  COMMENT "Pages, completions and the client library of the packages"
  VERBATIM)

install(TARGETS wharfd wharf RUNTIME DESTINATION bin COMPONENT wharf)
# Which a node of a cluster opens; it looks beside itself, and there.
if(WHARF_CLUSTER)
  install(FILES ${package_files}/libwharfraft.so DESTINATION lib/wharf COMPONENT wharf)
endif()
install(FILES deploy/wharfd.toml DESTINATION /etc/wharf COMPONENT wharf)
install(FILES ${package_files}/wharfd.service DESTINATION lib/systemd/system COMPONENT wharf)
install(FILES ${package_files}/wharf.1.gz DESTINATION share/man/man1 COMPONENT wharf)
install(FILES ${package_files}/wharfd.8.gz DESTINATION share/man/man8 COMPONENT wharf)
install(FILES ${package_files}/wharf DESTINATION share/bash-completion/completions COMPONENT wharf)
install(FILES ${package_files}/_wharf DESTINATION share/zsh/vendor-completions COMPONENT wharf)
install(FILES ${package_files}/wharf.fish DESTINATION share/fish/vendor_completions.d COMPONENT wharf)

# Headers keep their places below a folder of their own, so that they include each other as here.
foreach(folder tools/client storage/base broker/access)
  cmake_path(GET folder PARENT_PATH above)
  install(DIRECTORY ${folder} DESTINATION include/wharf/${above} COMPONENT dev FILES_MATCHING PATTERN "*.h")
endforeach()
install(DIRECTORY ${CMAKE_BINARY_DIR}/proto/generated/ DESTINATION include/wharf COMPONENT dev
  FILES_MATCHING PATTERN "*.h")
install(DIRECTORY proto/ DESTINATION share/wharf/proto COMPONENT dev FILES_MATCHING PATTERN "*.proto")
install(FILES ${package_files}/libwharf-client.a DESTINATION lib COMPONENT dev)
install(FILES tools/cmake/WharfConfig.cmake DESTINATION lib/cmake/Wharf COMPONENT dev)

foreach(package wharf wharf-dev)
  string(REPLACE "wharf-" "" component ${package})
  install(DIRECTORY ${package_files}/documents/${package}/
    DESTINATION ${documents}/${package} COMPONENT ${component} USE_SOURCE_PERMISSIONS)
  install(FILES deploy/debian/copyright ${package_files}/changelog.Debian.gz
    DESTINATION ${documents}/${package} COMPONENT ${component})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "Wharf maintainers <maintainers@wharf.invalid>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_COMPONENTS_ALL wharf dev)
set(CPACK_STRIP_FILES ON)
# The one file outside /usr is the configuration.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_WHARF_PACKAGE_NAME wharf)
set(CPACK_DEBIAN_WHARF_PACKAGE_SECTION net)
set(CPACK_DEBIAN_WHARF_PACKAGE_SHLIBDEPS ON)
# The unit reloads it with kill.
set(CPACK_DEBIAN_WHARF_PACKAGE_DEPENDS procps)
set(CPACK_COMPONENT_WHARF_DESCRIPTION "durable message broker with the semantics of Azure Service Bus
Queues, topics, subscriptions and sessions with locks, dead letters, times to
live, schedules, duplicate detection and transactions, behind gRPC. What it
has acknowledged is on the disk, and with three nodes on two of their disks.")
set(CPACK_DEBIAN_WHARF_PACKAGE_CONTROL_EXTRA
  ${CMAKE_SOURCE_DIR}/deploy/debian/conffiles
  ${CMAKE_SOURCE_DIR}/deploy/debian/postinst
  ${CMAKE_SOURCE_DIR}/deploy/debian/prerm
  ${CMAKE_SOURCE_DIR}/deploy/debian/postrm)

set(CPACK_DEBIAN_DEV_PACKAGE_NAME wharf-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "libabsl-dev, libfmt-dev, libgrpc++-dev, libprotobuf-dev, libspdlog-dev, libssl-dev, pkg-config")
set(CPACK_COMPONENT_DEV_DESCRIPTION "client library in C++ and API of the message broker Wharf
A library that sends, receives and settles, goes on after a lost connection
and finds the leader of a cluster; its headers, what CMake needs to find it,
and the files from which other languages make their clients.")
include(CPack)
