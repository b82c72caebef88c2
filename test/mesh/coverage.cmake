# Every line of the sources runs.
set(element 0)
set(programs)
foreach(cipher des des_pipelined lea128 hight)
  gpuctr_mesh_program(mesh_${cipher}_coverage node ELEMENT ${element} COVERAGE QUICK)
  list(APPEND programs $<TARGET_FILE:mesh_${cipher}_coverage>)
  math(EXPR element "${element} + 1")
endforeach()
gpuctr_mesh_test(coverage bash ${CMAKE_CURRENT_SOURCE_DIR}/coverage.sh ${mesh_rtl} $<TARGET_FILE_DIR:gpuctr>
                 ${programs})
