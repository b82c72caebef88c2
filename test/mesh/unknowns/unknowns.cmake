# Four-valued signals, on yosys's netlists (Icarus Verilog 11 does not read packed structs of a
# package): no register without a reset is ever seen at a node's ports. And faults planted in
# resets, which that finds.
find_program(GPUCTR_IVERILOG iverilog)
if(NOT GPUCTR_YOSYS OR NOT GPUCTR_IVERILOG)
  gpuctr_mesh_skipped(mesh.unknowns "no yosys or Icarus Verilog")
  return()
endif()
set(unknowns bash ${CMAKE_CURRENT_SOURCE_DIR}/unknowns/unknowns.sh)
foreach(cipher des des_pipelined lea128 hight)
  string(REGEX MATCH "^des" is_des ${cipher})
  set(key_words $<IF:$<BOOL:${is_des}>,1,2>)
  set(block_words $<IF:$<STREQUAL:${cipher},lea128>,2,1>)
  gpuctr_mesh_test(unknowns.${cipher} ${unknowns}
                   ${CMAKE_CURRENT_BINARY_DIR}/netlist_${cipher}/node.sv
                   ${key_words} ${block_words})
endforeach()

function(gpuctr_mesh_unknown name file from to)
  gpuctr_mesh_test(unknowns.fault.${name}
                   bash ${CMAKE_CURRENT_SOURCE_DIR}/found.sh "unknown: in_credit" --
                   bash ${CMAKE_CURRENT_SOURCE_DIR}/unknowns/unknowns_planted.sh
                   ${CMAKE_CURRENT_BINARY_DIR}/unknowns_${name} ${mesh_rtl} ${file} ${from} ${to})
endfunction()
gpuctr_mesh_unknown(buffer fifo.sv "valid <= 1'b0" "valid <= valid")
gpuctr_mesh_unknown(lock packet_lock.sv "barred <= '0;" "barred <= barred;")
gpuctr_mesh_unknown(element round_control.sv "busy      <= 1'b0" "busy      <= busy")
