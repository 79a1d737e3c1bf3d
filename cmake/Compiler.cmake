# Language standard, warnings and sanitisers for every target of the project.
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

add_compile_options(-Wall -Wextra -Wpedantic)
if(POPSCOPE_WERROR)
  add_compile_options(-Werror)
endif()

set(POPSCOPE_SANITIZE "" CACHE STRING "Sanitisers for every target, such as address,undefined")
if(POPSCOPE_SANITIZE)
  add_compile_options(-fsanitize=${POPSCOPE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${POPSCOPE_SANITIZE})
endif()
