# Properties of FIFO, credits and packet lock, proved; and faults planted in each, which the proofs
# find.
find_program(GPUCTR_YOSYS yosys)
find_program(GPUCTR_SMTBMC yosys-smtbmc)
find_program(GPUCTR_Z3 z3)
if(NOT GPUCTR_YOSYS OR NOT GPUCTR_SMTBMC OR NOT GPUCTR_Z3)
  gpuctr_mesh_skipped(mesh.proof "no yosys, yosys-smtbmc or z3")
  return()
endif()
set(prove bash ${CMAKE_CURRENT_SOURCE_DIR}/formal/prove.sh)
foreach(part fifo packet_lock)
  gpuctr_mesh_test(proof.${part} ${prove} ${mesh_rtl} ${part}_properties
                   ${CMAKE_CURRENT_BINARY_DIR}/${part}.vcd)
endforeach()

function(gpuctr_mesh_unproved name part file from to says)
  gpuctr_mesh_test(proof.fault.${name} bash ${CMAKE_CURRENT_SOURCE_DIR}/formal/unproved.sh
                   ${CMAKE_CURRENT_BINARY_DIR}/unproved_${name} ${mesh_rtl} ${part}_properties
                   ${file} ${from} ${to} ${says})
endfunction()
gpuctr_mesh_unproved(credit fifo credits.sv "count <= COUNT'(DEPTH)" "count <= COUNT'(DEPTH + 1)"
                     all_places_known)
gpuctr_mesh_unproved(refund fifo credits.sv "refund || (" "(" sender_goes_on)
gpuctr_mesh_unproved(wrap fifo fifo.sv "DEPTH - 1" "DEPTH - 2" pointers)
gpuctr_mesh_unproved(full fifo fifo.sv "if (!full)" "if (1'b1)" unchanged)
gpuctr_mesh_unproved(grants packet_lock packet_lock.sv "&& want[n]" "&& 1'b1" has_a_flit)
gpuctr_mesh_unproved(starving packet_lock packet_lock.sv "ends ? select" "ends ? last"
                     turn_comes)
gpuctr_mesh_unproved(lock packet_lock packet_lock.sv "ends ? '0 : ~grant" "'0" same_packet)
