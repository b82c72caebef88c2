# Faults planted in a copy of the sources, each of which a test has to find: what is proved is that
# the tests can fail. gpuctr_mesh_fault(<name> <file> <text> <other text> <what the test says>
# router|<element> [WAVE]).
function(gpuctr_mesh_fault name file from to says top)
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/fault_${name})
  add_custom_command(OUTPUT ${dir}/planted
    COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/plant.sh ${dir} ${mesh_rtl} ${file} ${from} ${to}
    DEPENDS ${mesh_rtl_files} plant.sh VERBATIM)
  set(program mesh_fault_${name})
  if(top STREQUAL "router")
    gpuctr_mesh_program(${program} router RTL ${dir} DEPENDS ${dir}/planted QUICK)
    set(options --width 3 --height 3 --packets 20000)
  else()
    gpuctr_mesh_program(${program} node ELEMENT ${top} RTL ${dir} DEPENDS ${dir}/planted QUICK)
    set(options ${modules} --every 9 --to 300 --stalls)
    if("WAVE" IN_LIST ARGN)
      gpuctr_mesh_program(${program}_wave node ELEMENT ${top} RTL ${dir} DEPENDS ${dir}/planted
                          QUICK TRACE)
    endif()
  endif()
  if("WAVE" IN_LIST ARGN)
    gpuctr_mesh_test(fault.${name} bash ${CMAKE_CURRENT_SOURCE_DIR}/found.sh ${says}
                     "waveform: .*, [1-9][0-9]{4,} bytes" --
                     bash ${CMAKE_CURRENT_SOURCE_DIR}/replayed.sh ${CMAKE_BINARY_DIR} ${program}
                     ${options})
  else()
    gpuctr_mesh_test(fault.${name} bash ${CMAKE_CURRENT_SOURCE_DIR}/found.sh ${says} --
                     $<TARGET_FILE:${program}> ${options})
  endif()
endfunction()

set(lost "deadlock or lost credit")
set(mixed "in the middle of a packet|cut short|without a tail|not what was sent")
string(APPEND mixed "|not the next packet")
set(differs "first differing block: [0-9]+ of")
gpuctr_mesh_fault(credit_lost input_buffer.sv "in_credit <= take" "in_credit <= take && !front[65]"
                  ${lost} router)
gpuctr_mesh_fault(credit_too_many credits.sv "count <= COUNT'(DEPTH)" "count <= COUNT'(DEPTH + 1)"
                  "${mixed}|without a credit" router)
gpuctr_mesh_fault(lock packet_lock.sv "ends ? '0 : ~grant" "'0" ${mixed} router)
gpuctr_mesh_fault(routing router_input.sv "to_y > y" "to_y >= y" "${mixed}|${lost}" router)
gpuctr_mesh_fault(no_reset fifo.sv "valid <= 1'b0" "valid <= valid" "${mixed}|${lost}" router)
gpuctr_mesh_fault(sbox des_pkg.sv "e4d12fb8" "e4d12fb9" ${differs} 0 WAVE)
gpuctr_mesh_fault(pipeline element_des_pipelined.sv "if (in_ready && full)" "if (full)"
                  ${differs} 1)
gpuctr_mesh_fault(stall round_control.sv "busy && !(last && out_valid)" "busy"
                  "${differs}|${lost}" 0)
gpuctr_mesh_fault(delta element_lea128.sv "78df30ec" "78df30ed" ${differs} 2)
gpuctr_mesh_fault(carry element.sv "at <= at + 1'b1" "at[31:0] <= at[31:0] + 1'b1" ${differs} 3)
gpuctr_mesh_fault(last_bytes element.sv "8'hff >> last_bytes" "8'hff >> (last_bytes | 5'd1)"
                  ${differs} 3)
