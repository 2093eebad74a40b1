# What every target is compiled with, and the libraries that the options ask for.

find_package(Threads REQUIRED)

if(TARRY_JEMALLOC)
  find_path(JEMALLOC_INCLUDE_DIR jemalloc/jemalloc.h)
  find_library(JEMALLOC_LIBRARY jemalloc)
  if(NOT JEMALLOC_INCLUDE_DIR OR NOT JEMALLOC_LIBRARY)
    message(FATAL_ERROR
      "jemalloc was not found: install libjemalloc-dev, or configure with -DTARRY_JEMALLOC=OFF")
  endif()
endif()

# Standard, warnings and sanitizers of one target of this project.
function(tarry_flags target)
  set_target_properties(${target} PROPERTIES
    C_STANDARD 11
    C_STANDARD_REQUIRED ON
    C_EXTENSIONS OFF)
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow
    $<$<BOOL:${TARRY_WERROR}>:-Werror>)
endfunction()

# Sanitizers hold for a whole program, so for all that is built here.
if(TARRY_SANITIZE)
  add_compile_options(-fsanitize=${TARRY_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TARRY_SANITIZE})
endif()
