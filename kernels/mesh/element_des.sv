// DES (FIPS 46-3), one round a clock. The two halves of the key go round with the rounds: sixteen
// rounds turn them by 28 places, so they are back where they began when the next block comes.
module element_des (
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
  logic load, step, finish;
  logic [3:0] round;
  logic [55:0] cd;  // already turned for the round that is next
  logic [63:0] lr, next, done;
  logic unused;

  round_control #(
      .ROUNDS(16)
  ) control (
      .clk, .rst, .in_valid, .in_ready, .out_valid, .out_ready, .load, .step, .finish, .round
  );

  assign next = des_pkg::one_round(lr, des_pkg::permuted_choice_2(cd));
  assign out_block = {done, 64'd0};
  assign unused = &{1'b0, key[63:0], in_block[63:0]};

  always_ff @(posedge clk) begin
    if (start) begin
      cd <= des_pkg::shift(des_pkg::permuted_choice_1(key[127:64]), des_pkg::SHIFT_BY_TWO[0]);
    end else if (step) cd <= des_pkg::shift(cd, des_pkg::SHIFT_BY_TWO[round+4'd1]);
    if (load) lr <= des_pkg::initial_permutation(in_block[127:64]);
    else if (step) lr <= next;
    if (finish) done <= des_pkg::final_permutation({next[31:0], next[63:32]});
  end
endmodule
