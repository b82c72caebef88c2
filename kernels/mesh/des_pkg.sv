// Tables and functions of DES (FIPS 46-3). The standard numbers bits from 1 at the left, so its bit
// n of a value of w bits is bit w - n here. Tables are in the standard's order.
package des_pkg;
  // Table "Primitive function P".
  localparam logic [32*6-1:0] P = {
    6'd16, 6'd07, 6'd20, 6'd21, 6'd29, 6'd12, 6'd28, 6'd17,
    6'd01, 6'd15, 6'd23, 6'd26, 6'd05, 6'd18, 6'd31, 6'd10,
    6'd02, 6'd08, 6'd24, 6'd14, 6'd32, 6'd27, 6'd03, 6'd09,
    6'd19, 6'd13, 6'd30, 6'd06, 6'd22, 6'd11, 6'd04, 6'd25
  };

  // Permuted choice 1, C then D; the key's parity bits do not appear.
  localparam logic [56*7-1:0] PC1 = {
    7'd57, 7'd49, 7'd41, 7'd33, 7'd25, 7'd17, 7'd09, 7'd01,
    7'd58, 7'd50, 7'd42, 7'd34, 7'd26, 7'd18, 7'd10, 7'd02,
    7'd59, 7'd51, 7'd43, 7'd35, 7'd27, 7'd19, 7'd11, 7'd03,
    7'd60, 7'd52, 7'd44, 7'd36, 7'd63, 7'd55, 7'd47, 7'd39,
    7'd31, 7'd23, 7'd15, 7'd07, 7'd62, 7'd54, 7'd46, 7'd38,
    7'd30, 7'd22, 7'd14, 7'd06, 7'd61, 7'd53, 7'd45, 7'd37,
    7'd29, 7'd21, 7'd13, 7'd05, 7'd28, 7'd20, 7'd12, 7'd04
  };

  // Permuted choice 2, out of C and D.
  localparam logic [48*6-1:0] PC2 = {
    6'd14, 6'd17, 6'd11, 6'd24, 6'd01, 6'd05, 6'd03, 6'd28, 6'd15, 6'd06, 6'd21, 6'd10,
    6'd23, 6'd19, 6'd12, 6'd04, 6'd26, 6'd08, 6'd16, 6'd07, 6'd27, 6'd20, 6'd13, 6'd02,
    6'd41, 6'd52, 6'd31, 6'd37, 6'd47, 6'd55, 6'd30, 6'd40, 6'd51, 6'd45, 6'd33, 6'd48,
    6'd44, 6'd49, 6'd39, 6'd56, 6'd34, 6'd53, 6'd46, 6'd42, 6'd50, 6'd36, 6'd29, 6'd32
  };

  // Rounds whose left shift is by two, the first round rightmost; the others shift by one.
  localparam logic [15:0] SHIFT_BY_TWO = 16'b0111_1110_1111_1100;

  // The substitution boxes, four rows of sixteen each.
  localparam logic [255:0] S1 =
      256'he4d12fb83a6c5907_0f74e2d1a6cb9538_41e8d62bfc973a50_fc8249175b3ea06d;
  localparam logic [255:0] S2 =
      256'hf18e6b34972dc05a_3d47f28ec01a69b5_0e7ba4d158c6932f_d8a13f42b67c05e9;
  localparam logic [255:0] S3 =
      256'ha09e63f51dc7b428_d709346a285ecbf1_d6498f30b12c5ae7_1ad069874fe3b52c;
  localparam logic [255:0] S4 =
      256'h7de3069a1285bc4f_d8b56f03472c1ae9_a690cb7df13e5284_3f06a1d8945bc72e;
  localparam logic [255:0] S5 =
      256'h2c417ab6853fd0e9_eb2c47d150fa3986_421bad78f9c5630e_b8c71e2d6f09a453;
  localparam logic [255:0] S6 =
      256'hc1af92680d34e75b_af427c9561de0b38_9ef528c3704a1db6_432c95fabe17608d;
  localparam logic [255:0] S7 =
      256'h4b2ef08d3c975a61_d0b7491ae35c2f86_14bdc37eaf680592_6bd814a7950fe23c;
  localparam logic [255:0] S8 =
      256'hd2846fb1a93e50c7_1fd8a374c56b0e92_7b419ce206adf358_21e74a8dfc90356b;

  // Row by the outer bits, column by the inner four.
  function automatic logic [3:0] substitute(input logic [255:0] box, input logic [5:0] six);
    logic [5:0] entry;
    entry = {six[5], six[0], six[4:1]};
    substitute = box[{~entry, 2'b00}+:4];
  endfunction

  // Rows 58 50 .. 2, 60 52 .. 4, 62 .., 64 .., 57 .., 59 .., 61 .., 63 55 .. 7.
  function automatic logic [63:0] initial_permutation(input logic [63:0] x);
    /* verilator no_inline_task */
    for (int n = 0; n < 64; n++) begin
      initial_permutation[63-n] = x[64 - ((n < 32 ? 58 : 49) + 2 * (n / 8) - 8 * (n % 8))];
    end
  endfunction

  // Rows 40 8 48 16 56 24 64 32, 39 7 .., .., 33 1 .. 25.
  function automatic logic [63:0] final_permutation(input logic [63:0] x);
    /* verilator no_inline_task */
    for (int n = 0; n < 64; n++) begin
      final_permutation[63-n] = x[64 - ((n % 2 == 0 ? 40 : 8) + 8 * (n % 8 / 2) - n / 8)];
    end
  endfunction

  function automatic logic [55:0] permuted_choice_1(input logic [63:0] key);
    /* verilator no_inline_task */
    logic [63:0] unused_cd;
    unused_cd = '0;
    for (int n = 0; n < 56; n++) unused_cd[55-n] = key[64 - 32'(PC1[7*(55-n)+:7])];
    permuted_choice_1 = unused_cd[55:0];
  endfunction

  function automatic logic [47:0] permuted_choice_2(input logic [55:0] cd);
    /* verilator no_inline_task */
    logic [63:0] unused_key;
    unused_key = '0;
    for (int n = 0; n < 48; n++) unused_key[47-n] = cd[56 - 32'(PC2[6*(47-n)+:6])];
    permuted_choice_2 = unused_key[47:0];
  endfunction

  // The shift in front of a round, of both halves.
  function automatic logic [55:0] shift(input logic [55:0] cd, input logic by_two);
    shift = by_two ? {cd[53:28], cd[55:54], cd[25:0], cd[27:26]}
                   : {cd[54:28], cd[55], cd[26:0], cd[27]};
  endfunction

  // {L, R} to {R, L ^ f(R, K)}.
  function automatic logic [63:0] one_round(input logic [63:0] lr, input logic [47:0] key);
    /* verilator no_inline_task */
    logic [33:0] wrapped;  // R with a neighbour at each end, out of which E is eight windows of six
    logic [47:0] x;
    logic [31:0] s, p;
    wrapped = {lr[0], lr[31:0], lr[31]};
    x = key ^ {
      wrapped[33:28], wrapped[29:24], wrapped[25:20], wrapped[21:16],
      wrapped[17:12], wrapped[13:8],  wrapped[9:4],   wrapped[5:0]
    };
    s = {
      substitute(S1, x[47:42]), substitute(S2, x[41:36]),
      substitute(S3, x[35:30]), substitute(S4, x[29:24]),
      substitute(S5, x[23:18]), substitute(S6, x[17:12]),
      substitute(S7, x[11:6]),  substitute(S8, x[5:0])
    };
    for (int n = 0; n < 32; n++) p[31-n] = s[32 - 32'(P[6*(31-n)+:6])];
    one_round = {lr[31:0], lr[63:32] ^ p};
  endfunction
endpackage
