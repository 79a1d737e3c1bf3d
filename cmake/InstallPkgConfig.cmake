# install_pkg_config(<name> <component> <directory>): installs <name>.pc, made of <name>.pc.in, below <directory> of a
# prefix that may be moved: @UP_TO_PREFIX@ is the way from there.
function(install_pkg_config name component directory)
  file(RELATIVE_PATH UP_TO_PREFIX "/${directory}/pkgconfig" /)
  string(REGEX REPLACE "/$" "" UP_TO_PREFIX "${UP_TO_PREFIX}")
  configure_file(${name}.pc.in ${name}.pc @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc" DESTINATION "${directory}/pkgconfig" COMPONENT ${component})
endfunction()
