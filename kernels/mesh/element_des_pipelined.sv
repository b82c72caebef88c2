// DES (FIPS 46-3), a block a clock: sixteen rounds in a row, a register behind each. A job has one
// key, so the round keys are wires from the key's register. The pipeline stands still while its
// last block waits, and an empty stage does not toggle.
module element_des_pipelined (
    input  logic         clk,
    input  logic         rst,
    input  logic         start,
    input  logic [127:0] key,
    input  logic         in_valid,
    output logic         in_ready,
    input  logic [127:0] in_block,
    output logic         out_valid,
    input  logic         out_ready,
    output logic [127:0] out_block
);
  logic [15:0] valid;
  logic [63:0] done;
  logic unused;

  assign in_ready = !out_valid || out_ready;
  assign out_valid = valid[15];
  assign out_block = {des_pkg::final_permutation({done[31:0], done[63:32]}), 64'd0};
  assign unused = &{1'b0, start, key[63:0], in_block[63:0]};

  for (genvar n = 0; n < 16; n++) begin : stage
    logic [55:0] cd;
    logic [63:0] from, lr;
    logic full;  // the stage before has a block
    if (n == 0) begin : first
      assign cd = des_pkg::shift(des_pkg::permuted_choice_1(key[127:64]), des_pkg::SHIFT_BY_TWO[0]);
      assign full = in_valid;
      assign from = des_pkg::initial_permutation(in_block[127:64]);
    end else begin : follow
      assign cd = des_pkg::shift(stage[n-1].cd, des_pkg::SHIFT_BY_TWO[n]);
      assign full = valid[n-1];
      assign from = stage[n-1].lr;
    end
    always_ff @(posedge clk) begin
      if (in_ready && full) lr <= des_pkg::one_round(from, des_pkg::permuted_choice_2(cd));
    end
  end

  assign done = stage[15].lr;

  always_ff @(posedge clk) begin
    if (rst) valid <= '0;
    else if (in_ready) valid <= {valid[14:0], in_valid};
  end
endmodule
