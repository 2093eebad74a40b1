# What everything in this tree is compiled with. Directory scope: neither a user's project that
# takes this one in by add_subdirectory nor an installed target sees any of it.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
add_compile_definitions(_GNU_SOURCE)
add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow)

# gcc takes a waiter's record on the stack for dangling where a list points at it, although the
# waiter leaves the list before it returns.
add_compile_options($<$<C_COMPILER_ID:GNU>:-Wno-dangling-pointer>)

if(TARRY_WERROR)
  add_compile_options(-Werror)
endif()

if(TARRY_SANITIZE)
  add_compile_options(-fsanitize=${TARRY_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TARRY_SANITIZE})
endif()
