# Every line of the sources runs.
set(element 0)
set(programs)
foreach(cipher des des_pipelined lea128 hight)
  gpuctr_mesh_program(mesh_${cipher}_coverage node ELEMENT ${element} COVERAGE QUICK)
  list(APPEND programs $<TARGET_FILE:mesh_${cipher}_coverage>)
  math(EXPR element "${element} + 1")
endforeach()
gpuctr_mesh_test(coverage bash ${CMAKE_CURRENT_SOURCE_DIR}/coverage/coverage.sh ${mesh_rtl}
                 $<TARGET_FILE_DIR:gpuctr> ${programs})

# A line that cannot run is found.
set(dir ${CMAKE_CURRENT_BINARY_DIR}/fault_coverage)
add_custom_command(OUTPUT ${dir}/planted
  COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/plant.sh ${dir} ${mesh_rtl} job_receiver.sv
          "word  <= word + 1'b1" "word <= word + 1'b1; if (word == 2'd3 && !rst) job <= '0"
  DEPENDS ${mesh_rtl_files} plant.sh VERBATIM)
gpuctr_mesh_program(mesh_fault_coverage node ELEMENT 0 RTL ${dir} DEPENDS ${dir}/planted
                    COVERAGE QUICK)
gpuctr_mesh_test(fault.coverage bash ${CMAKE_CURRENT_SOURCE_DIR}/found.sh
                 "job_receiver.sv:[0-9]+:(%000000|~)" "lines of .* that never ran" --
                 bash ${CMAKE_CURRENT_SOURCE_DIR}/coverage/coverage.sh ${dir} $<TARGET_FILE_DIR:gpuctr>
                 $<TARGET_FILE:mesh_fault_coverage>)
