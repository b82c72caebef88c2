// LEA-128 (TTAK.KO-12.0223, ISO/IEC 29192-2:2019), one round of 24 a clock. Round keys are made on
// the way, one round ahead, so that no path has the key's addition and the round's one after the
// other. The first round's key is the job's, made once, and the constants come out of registers.
module element_lea128 (
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
  logic [4:0] round;
  logic [31:0] x0, x1, x2, x3, y0, y1, y2;   // the block, and after this round
  logic [31:0] t0, t1, t2, t3;               // this round's key
  logic [31:0] delta, next_delta;            // of the next round's, and of the one after
  logic [127:0] first, first_key, next_key;  // the first round's key; made; the next one
  logic [127:0] done;

  // Words of the block and of the key are little-endian: byte 0 is the lowest, and leftmost here.
  function automatic logic [31:0] le_word(input logic [31:0] bytes);
    le_word = {bytes[7:0], bytes[15:8], bytes[23:16], bytes[31:24]};
  endfunction
  function automatic logic [31:0] rol(input logic [31:0] w, input logic [4:0] n);
    rol = (w << n) | (w >> (6'd32 - 6'(n)));
  endfunction
  localparam logic [31:0] DELTA_0 = 32'hc3efe9db, DELTA_1 = 32'h44626b02;
  localparam logic [31:0] DELTA_2 = 32'h79e27c8a, DELTA_3 = 32'h78df30ec;
  // Delta i mod 4, turned by i as the key schedule of round i has it.
  function automatic logic [31:0] turned_delta(input logic [4:0] i);
    case (i[1:0])
      2'd0: turned_delta = rol(DELTA_0, i);
      2'd1: turned_delta = rol(DELTA_1, i);
      2'd2: turned_delta = rol(DELTA_2, i);
      default: turned_delta = rol(DELTA_3, i);
    endcase
  endfunction
  // The key of the round whose turned delta is `d`, from the key of the round before.
  function automatic logic [127:0] round_key(input logic [127:0] k, input logic [31:0] d);
    round_key = {
      rol(k[127:96] + d, 5'd1),
      rol(k[95:64] + rol(d, 5'd1), 5'd3),
      rol(k[63:32] + rol(d, 5'd2), 5'd6),
      rol(k[31:0] + rol(d, 5'd3), 5'd11)
    };
  endfunction

  round_control #(
      .ROUNDS(24)
  ) control (
      .clk, .rst, .in_valid, .in_ready, .out_valid, .out_ready, .load, .step, .finish, .round
  );

  assign y0 = rol((x0 ^ t0) + (x1 ^ t1), 5'd9);
  assign y1 = rol((x1 ^ t2) + (x2 ^ t1), 5'd27);
  assign y2 = rol((x2 ^ t3) + (x3 ^ t1), 5'd29);
  assign next_delta = turned_delta(round + 5'd2);
  assign first_key = round_key({le_word(key[127:96]), le_word(key[95:64]), le_word(key[63:32]),
                                le_word(key[31:0])}, DELTA_0);
  assign next_key = round_key({t0, t1, t2, t3}, delta);
  assign out_block = done;

  always_ff @(posedge clk) begin
    if (start) first <= first_key;
    if (load) begin
      delta <= rol(DELTA_1, 5'd1);
      {t0, t1, t2, t3} <= first;
      x0 <= le_word(in_block[127:96]);
      x1 <= le_word(in_block[95:64]);
      x2 <= le_word(in_block[63:32]);
      x3 <= le_word(in_block[31:0]);
    end else if (step) begin
      delta <= next_delta;
      {t0, t1, t2, t3} <= next_key;
      x0 <= y0;
      x1 <= y1;
      x2 <= y2;
      x3 <= x0;
    end
    if (finish) done <= {le_word(y0), le_word(y1), le_word(y2), le_word(x0)};
  end
endmodule
