# What other builds find of an installed dtg: find_package(dtgc), pkg-config, dtgc(1). Included where the
# libraries that the runtime needs are known as words (link_config.cmake), so that they are said once.
include(CMakePackageConfigHelpers)

set(DTG_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/dtgc)
set(DTG_HAS_MPI 0)
if(TARGET dtrt_mpi)
  set(DTG_HAS_MPI 1)
endif()
list(JOIN DTG_RUNTIME_WORDS " " DTG_RUNTIME_LIBS)
list(JOIN DTG_MPI_WORDS " " DTG_MPI_LIBS)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/dtgcConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/dtgcConfig.cmake
  INSTALL_DESTINATION ${DTG_PACKAGE_DIR} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
# 0.x promises nothing between one x and the next.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/dtgcConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dtgcConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/dtgcConfigVersion.cmake
  DESTINATION ${DTG_PACKAGE_DIR})

# From lib/pkgconfig up to the prefix, so that the whole may be moved.
file(RELATIVE_PATH DTG_PREFIX_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" DTG_PREFIX_UP "${DTG_PREFIX_UP}")
set(modules dtgc dtrt)
if(DTG_HAS_MPI)
  list(APPEND modules dtrt-mpi)
endif()
foreach(module ${modules})
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${module}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${module}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${module}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

install(FILES ${PROJECT_SOURCE_DIR}/docs/dtgc.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# README, docs and samples in one folder, so that the links between them hold; the samples' scripts find dtgc by
# DTGC or PATH. What a sample's run left behind (out/) stays.
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/samples DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS
  PATTERN out EXCLUDE PATTERN __pycache__ EXCLUDE PATTERN quickstart EXCLUDE)

# The Python binding: PYTHONPATH=PREFIX/share/dtg/python, import dtg.
install(FILES ${PROJECT_SOURCE_DIR}/samples/embed/numpy_ctypes.py DESTINATION ${CMAKE_INSTALL_DATADIR}/dtg/python
  RENAME dtg.py)
