# Run by cpack before it makes packages of the files that it has installed, a directory per component.
set(staged "${CPACK_TEMPORARY_DIRECTORY}")

# A program needs the engine's libraries, but only a developer its headers and the compiler of codelets.
if(EXISTS "${staged}/ipumodel")
  file(REMOVE "${staged}/ipumodel/usr/enable.sh") # programs look in /usr anyway
  file(GLOB libraries "${staged}/ipumodel/usr/lib/*.so")
  file(MAKE_DIRECTORY "${staged}/libipumodel/usr/lib")
  foreach(library IN LISTS libraries)
    get_filename_component(name "${library}" NAME)
    set(package libipumodel)
    if(name STREQUAL "libpopdist_mpi.so")
      set(package libipumodel_mpi)
      file(MAKE_DIRECTORY "${staged}/${package}/usr/lib")
    endif()
    file(RENAME "${library}" "${staged}/${package}/usr/lib/${name}")
  endforeach()
endif()
# Two packages cannot have the same file: libpopscope-dev depends on popscope.
file(REMOVE_RECURSE "${staged}/outfeed/usr/lib/popscope")

file(GLOB pages "${staged}/popscope/usr/share/man/man1/*.1")
foreach(page IN LISTS pages)
  execute_process(COMMAND gzip -9 -n "${page}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER "${component}" upper)
  set(doc "${staged}/${component}/usr/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
  configure_file("${CPACK_PROJECT_SOURCE}/LICENSE" "${doc}/copyright" COPYONLY)
  configure_file("${CPACK_PROJECT_SOURCE}/CHANGELOG.md" "${doc}/changelog" COPYONLY)
  execute_process(COMMAND gzip -9 -n -f "${doc}/changelog" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(APPEND "${staged}/popscope/usr/share/doc/popscope/copyright"
  "\nThe data sets have licences of their own: see /usr/share/popscope/data/README.md.\n")
