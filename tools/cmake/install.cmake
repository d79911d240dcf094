# cmake --install: the library with its headers, the command, and what find_package and pkg-config need.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS limber limber_os EXPORT limber ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
if(TARGET limber_command)
    install(TARGETS limber_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(DIRECTORY include/limber DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(DIRECTORY src/render/shaders DESTINATION "${CMAKE_INSTALL_DATADIR}/limber")
# The page that `limber studio` serves, where `./dev studio` has built it.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS studio/page/site.json)
file(STRINGS studio/page/site.json site_line)
string(REGEX MATCHALL "[a-z_-]+\\.[a-z]+" site_files "${site_line}")
foreach(file ${site_files} sw.js)
    install(FILES "build/studio/${file}" "build/studio/${file}.br" "build/studio/${file}.gz" DESTINATION "${CMAKE_INSTALL_DATADIR}/limber/studio" OPTIONAL)
endforeach()

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/limber")
install(EXPORT limber NAMESPACE limber:: FILE limberTargets.cmake DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/limberConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
file(WRITE "${PROJECT_BINARY_DIR}/limberConfig.cmake"
    "include(CMakeFindDependencyMacro)\nfind_dependency(Threads)\ninclude(\"\${CMAKE_CURRENT_LIST_DIR}/limberTargets.cmake\")\n")
install(FILES "${PROJECT_BINARY_DIR}/limberConfig.cmake" "${PROJECT_BINARY_DIR}/limberConfigVersion.cmake"
    DESTINATION "${package_dir}")

# The prefix is told from where the file lies, so that an installed tree may be moved.
file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
file(WRITE "${PROJECT_BINARY_DIR}/limber.pc" "prefix=\${pcfiledir}/${up}
Name: limber
Description: ${PROJECT_DESCRIPTION}
Version: ${PROJECT_VERSION}
Cflags: -I\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}
Libs: -L\${prefix}/${CMAKE_INSTALL_LIBDIR} -llimber_os -llimber -lm -pthread
")
install(FILES "${PROJECT_BINARY_DIR}/limber.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
