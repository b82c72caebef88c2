// HIGHT (TTAS.KO-12.0040/R1, ISO/IEC 18033-3), one round of 32 a clock. The key goes round with the
// rounds: four bytes a round, and each half one byte further every four; 32 rounds bring it back to
// where it began. Byte 0 of block and key is leftmost.
module element_hight (
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
  logic [63:0] x, y, done;  // the block, after this round, after the last
  logic [127:0] ring, on;   // the key as the round wants it: its four bytes leftmost
  logic [6:0] delta;        // of the round's first subkey
  logic unused;

  function automatic logic [7:0] f0(input logic [7:0] b);
    f0 = {b[6:0], b[7]} ^ {b[5:0], b[7:6]} ^ {b[0], b[7:1]};
  endfunction
  function automatic logic [7:0] f1(input logic [7:0] b);
    f1 = {b[4:0], b[7:5]} ^ {b[3:0], b[7:4]} ^ {b[1:0], b[7:2]};
  endfunction
  // delta[i] is s[i+6..i] of the sequence s[i+6] = s[i+2] ^ s[i-1], `n` further.
  function automatic logic [6:0] further(input logic [6:0] from, input int n);
    further = from;
    for (int i = 0; i < n; i++) further = {further[3] ^ further[0], further[6:1]};
  endfunction
  function automatic logic [7:0] subkey(input logic [7:0] part, input logic [6:0] from,
                                        input int n);
    subkey = part + {1'b0, further(from, n)};
  endfunction

  round_control #(
      .ROUNDS(32)
  ) control (
      .clk, .rst, .in_valid, .in_ready, .out_valid, .out_ready, .load, .step, .finish, .round
  );

  always_comb begin
    on = {ring[95:0], ring[127:96]};
    // Subkey 16 i + j has byte (j - i) mod 8 of its half.
    if (round[1:0] == 2'd3) on = {on[71:64], on[127:72], on[7:0], on[63:8]};
  end

  // Rounds move every byte to the next place, the last to the first.
  assign y = {
    x[7:0] ^ (f0(x[15:8]) + subkey(ring[103:96], delta, 3)),
    x[63:56],
    x[55:48] + (f1(x[63:56]) ^ subkey(ring[127:120], delta, 0)),
    x[47:40],
    x[39:32] ^ (f0(x[47:40]) + subkey(ring[119:112], delta, 1)),
    x[31:24],
    x[23:16] + (f1(x[31:24]) ^ subkey(ring[111:104], delta, 2)),
    x[15:8]
  };

  // The final transformation adds key bytes 0 to 3, and takes back the last round's move.
  assign out_block = {
    done[55:48] + key[127:120], done[47:40],
    done[39:32] ^ key[119:112], done[31:24],
    done[23:16] + key[111:104], done[15:8],
    done[7:0] ^ key[103:96], done[63:56],
    64'd0
  };
  assign unused = &{1'b0, round[4:2], in_block[63:0]};

  always_ff @(posedge clk) begin
    if (start) ring <= key;
    else if (step) ring <= on;
    if (load) delta <= 7'h5a;
    else if (step) delta <= further(delta, 4);
    if (load) begin  // the initial transformation adds key bytes 12 to 15
      x <= {
        in_block[127:120] + key[31:24], in_block[119:112],
        in_block[111:104] ^ key[23:16], in_block[103:96],
        in_block[95:88] + key[15:8], in_block[87:80],
        in_block[79:72] ^ key[7:0], in_block[71:64]
      };
    end else if (step) x <= y;
    if (finish) done <= y;
  end
endmodule
