# Programs for record.sh to record, each where its library is. Not built with a sanitizer, which
# would have to come before what is preloaded.
set(record_programs ${CMAKE_CURRENT_BINARY_DIR}/record)

function(record_target name)
  set_target_properties(record_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} ENABLE_EXPORTS ON
    RUNTIME_OUTPUT_DIRECTORY ${record_programs} LIBRARY_OUTPUT_DIRECTORY ${record_programs})
  target_compile_options(record_${name} PRIVATE -fno-sanitize=all)
  target_link_options(record_${name} PRIVATE -fno-sanitize=all)
endfunction()

function(record_program name header library)
  find_path(TARRY_RECORD_${name}_HEADER ${header}) # as the recorder's
  find_library(RECORD_${name}_LIBRARY ${library})
  if(RECORD_${name}_LIBRARY AND TARRY_RECORD_${name}_HEADER)
    add_executable(record_${name} cases/record/${name}.c)
    record_target(${name})
    target_include_directories(record_${name} SYSTEM PRIVATE ${TARRY_RECORD_${name}_HEADER})
    target_link_libraries(record_${name} PRIVATE ${RECORD_${name}_LIBRARY} Threads::Threads)
  endif()
endfunction()

record_program(libuv uv.h uv)
record_program(libevent event2/event.h event_core)
record_program(libev ev.h ev)
if(TARGET record_libuv)
  add_library(record_plugin_libuv MODULE cases/record/libuv.c)
  record_target(plugin_libuv)
  target_link_libraries(record_plugin_libuv PRIVATE ${RECORD_libuv_LIBRARY} Threads::Threads)
  add_executable(record_plugin cases/record/plugin.c)
  record_target(plugin)
  target_link_libraries(record_plugin PRIVATE ${CMAKE_DL_LIBS})
endif()
add_executable(record_none cases/record/none.c)
record_target(none)
target_link_options(record_none PRIVATE -static)
