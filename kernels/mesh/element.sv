// An element of the mesh: counter mode over one range of blocks, with the cipher that ELEMENT names
// behind one interface. `start` takes the key, the job's counter block and the range; results come
// out in order, word by word, leftmost first. With data, each word waits for its word of data and
// is XORed with it.
//
// A cipher is a module element_<cipher> with the ports of those below: counter blocks in, keystream
// blocks out, leftmost in 128 bits, both with valid and ready, so that a slow one holds up its
// sender alone.
module element #(
    parameter int ELEMENT = mesh_pkg::DES
) (
    input  logic                      clk,
    input  logic                      rst,
    input  logic                      start,       // one clock; the rest stays until `busy` falls
    input  logic [127:0]              key,         // leftmost
    input  logic [127:0]              counter,     // the job's counter block, rightmost
    input  logic [19:0]               first,       // blocks from there to the range's first
    input  logic [19:0]               count,       // blocks in the range
    input  logic [4:0]                last_bytes,  // that count in the last of them
    input  logic                      with_data,
    output logic                      busy,
    input  logic                      data_valid,
    input  logic [mesh_pkg::WORD-1:0] data,
    output logic                      data_take,
    output logic                      result_valid,
    output logic [mesh_pkg::WORD-1:0] result,
    input  logic                      result_ready
);
  localparam int WORDS = mesh_pkg::block_words(ELEMENT);
  localparam int BLOCK = WORDS * mesh_pkg::WORD;

  logic [BLOCK-1:0] at;      // the next counter block
  logic [19:0] todo, left;   // blocks still to go in, and still to come out
  logic more, last;          // `todo` is not 0; `left` is 1: registers, since much waits for them
  logic in_ready, out_valid, block_taken, last_word;
  logic [127:0] in_block, out_block;
  logic [mesh_pkg::WORD-1:0] word;
  logic [7:0] kept;          // bytes of this word that count

  assign in_block = 128'(at) << (128 - BLOCK);

  if (ELEMENT == mesh_pkg::DES) begin : des
    element_des cipher (
        .clk, .rst, .start, .key, .in_valid(more), .in_ready, .in_block, .out_valid,
        .out_ready(block_taken), .out_block
    );
  end else if (ELEMENT == mesh_pkg::DES_PIPELINED) begin : des_pipelined
    element_des_pipelined cipher (
        .clk, .rst, .start, .key, .in_valid(more), .in_ready, .in_block, .out_valid,
        .out_ready(block_taken), .out_block
    );
  end else if (ELEMENT == mesh_pkg::LEA128) begin : lea128
    element_lea128 cipher (
        .clk, .rst, .start, .key, .in_valid(more), .in_ready, .in_block, .out_valid,
        .out_ready(block_taken), .out_block
    );
  end else if (ELEMENT == mesh_pkg::HIGHT) begin : hight
    element_hight cipher (
        .clk, .rst, .start, .key, .in_valid(more), .in_ready, .in_block, .out_valid,
        .out_ready(block_taken), .out_block
    );
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      todo <= '0;
      more <= 1'b0;
      left <= '0;
    end else if (start) begin
      todo <= count;
      more <= count != '0;
      left <= count;
      last <= count == 20'd1;
    end else begin
      if (more && in_ready) begin
        todo <= todo - 1'b1;
        more <= todo != 20'd1;
      end
      if (block_taken) begin
        left <= left - 1'b1;
        last <= left == 20'd2;
      end
    end
    if (start) at <= counter[BLOCK-1:0] + BLOCK'(first);
    else if (in_ready) at <= at + 1'b1;
  end

  if (WORDS == 1) begin : whole
    logic unused;
    assign unused = &{1'b0, out_block[63:0], counter[127:64]};
    assign word = out_block[127:64];
    assign kept = last ? ~(8'hff >> last_bytes) : 8'hff;
    assign last_word = 1'b1;
  end else begin : halves
    logic second;
    always_ff @(posedge clk) begin
      if (rst) second <= 1'b0;
      else if (result_valid && result_ready) second <= !second;
    end
    assign word = second ? out_block[63:0] : out_block[127:64];
    assign kept = !last ? 8'hff
                : second ? 8'(~(16'hffff >> last_bytes))
                         : 8'(16'(~(16'hffff >> last_bytes)) >> 8);
    assign last_word = second;
  end

  assign busy = left != '0;
  assign result_valid = out_valid && (data_valid || !with_data);
  assign data_take = out_valid && with_data && result_ready;
  assign block_taken = result_valid && result_ready && last_word;

  // Keystream behind the job's end is nobody's: bytes that do not count leave as zero.
  always_comb begin
    for (int b = 0; b < 8; b++) begin
      result[8*b+:8] = kept[b] ? word[8*b+:8] ^ (with_data ? data[8*b+:8] : 8'd0) : 8'd0;
    end
  end
endmodule
