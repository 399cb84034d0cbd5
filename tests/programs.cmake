# Tests that are programs of their own, and the two rings: "fast" is `make check`, all is `make test`.
find_package(Python3 3.11 COMPONENTS Interpreter REQUIRED)

get_property(room_tests DIRECTORY PROPERTY TESTS)
if(room_tests)
  set_tests_properties(${room_tests} PROPERTIES LABELS fast TIMEOUT 600)
endif()

function(lakebed_program_test name ring)
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS ${ring} TIMEOUT 900)
endfunction()

lakebed_program_test(tidy fast ${Python3_EXECUTABLE} tools/tidy)
lakebed_program_test(laws_model fast ${Python3_EXECUTABLE} tests/laws/model_test.py)
if(TARGET lakebed)
  lakebed_program_test(scenarios fast ${Python3_EXECUTABLE} tests/scenarios/run.py
                       --lakebed $<TARGET_FILE:lakebed>)
  lakebed_program_test(laws_few fast ${Python3_EXECUTABLE} tests/laws/laws.py
                       --lakebed $<TARGET_FILE:lakebed> --histories 20)
  lakebed_program_test(laws slow ${Python3_EXECUTABLE} tests/laws/laws.py
                       --lakebed $<TARGET_FILE:lakebed> --seed 1001 --histories 320)
  lakebed_program_test(faults slow ${Python3_EXECUTABLE} tests/faults/faults.py
                       --lakebed $<TARGET_FILE:lakebed>)
  lakebed_program_test(demo slow tools/demo --lakebed $<TARGET_FILE:lakebed> --check)
  lakebed_program_test(readers slow ${CMAKE_SOURCE_DIR}/build/venv/bin/python
                       tests/judges/readers.py --lakebed $<TARGET_FILE:lakebed>)
endif()
