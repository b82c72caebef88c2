// A node with four-valued signals, from one clock of reset on, before which everything is unknown:
// its credits and `valid` are known ever after, and so is each flit that leaves. Flits that are not
// valid come in as unknown. Two jobs, keystream and data, and a packet by each way through the
// router.
module unknowns;
  parameter KEY_WORDS = 1;
  parameter BLOCK_WORDS = 1;
  localparam NORTH = 1, EAST = 2, SOUTH = 3, WEST = 4;
  localparam BLOCKS = 3, WAYS = 8, EXPECTED = WAYS + 2 * BLOCKS * BLOCK_WORDS;
  localparam [1:0] NONE = 0, JOB = 1, DATA = 2;

  reg clk = 1'b0;
  reg rst = 1'b1;
  reg [4:1] in_valid = 4'bx, out_credit = 4'bx;
  reg [329:66] in_flit = 264'bx;
  wire [4:1] in_credit, out_valid;
  wire [329:66] out_flit;
  node dut (
      .clk(clk), .rst(rst), .x(4'd2), .y(4'd1),
      .in_valid(in_valid), .in_flit(in_flit), .in_credit(in_credit),
      .out_valid(out_valid), .out_flit(out_flit), .out_credit(out_credit)
  );
  always #5 clk = !clk;

  integer side, i, flit, waited, wrong = 0, words = 0, credits[4:1];

  always @(negedge clk) if (!rst) begin
    if (^in_credit === 1'bx || ^out_valid === 1'bx) begin
      $display("%0t: unknown: in_credit %b, out_valid %b", $time, in_credit, out_valid);
      wrong = wrong + 1;
    end
    for (side = NORTH; side <= WEST; side = side + 1) begin
      if (out_valid[side] === 1'b1) begin
        if (^out_flit[66*side+:66] === 1'bx) begin
          $display("%0t: unknown: the flit that leaves by side %0d, %h", $time, side,
                   out_flit[66*side+:66]);
          wrong = wrong + 1;
        end
        if (!out_flit[66*side+65]) words = words + 1;
      end
    end
    if (wrong > 8) $finish;
  end
  // The far ends: credits both ways.
  always @(posedge clk) begin
    out_credit <= rst ? 4'd0 : out_valid;
    for (i = NORTH; i <= WEST; i = i + 1) begin
      credits[i] = rst ? 4 : credits[i] + in_credit[i] - in_valid[i];
    end
  end

  task send(input integer from, input head, input tail, input [63:0] word);
    begin
      #1;
      while (credits[from] == 0) @(posedge clk) #1;
      in_valid[from] = 1'b1;
      in_flit[66*from+:66] = {head, tail, word};
      @(posedge clk) #1 in_valid[from] = 1'b0;
      in_flit[66*from+:66] = 66'bx;
    end
  endtask
  task send_head(input integer from, input [3:0] to_x, input [3:0] to_y, input [1:0] kind,
                 input with_data);
    send(from, 1'b1, 1'b0, {4'd0, to_x, to_y, 4'd1, kind, with_data, 5'd5, 20'(BLOCKS), 20'd0});
  endtask
  task through(input integer from, input [3:0] to_x, input [3:0] to_y);
    begin
      send_head(from, to_x, to_y, NONE, 1'b0);
      send(from, 1'b0, 1'b1, 64'h0123456789abcdef);
    end
  endtask
  task job(input with_data);
    begin
      send_head(WEST, 4'd2, 4'd1, JOB, with_data);
      for (flit = 1; flit < KEY_WORDS + BLOCK_WORDS; flit = flit + 1) begin
        send(WEST, 1'b0, 1'b0, 64'h133457799bbcdff1);
      end
      send(WEST, 1'b0, 1'b1, {64{1'b1}});
      if (with_data) begin
        send_head(WEST, 4'd2, 4'd1, DATA, 1'b0);
        for (flit = 1; flit <= BLOCKS * BLOCK_WORDS; flit = flit + 1) begin
          send(WEST, 1'b0, flit == BLOCKS * BLOCK_WORDS, 64'h5555555555555555);
        end
      end
    end
  endtask

  initial begin
    @(posedge clk) #1 rst = 1'b0;
    in_valid = 4'd0;
    through(WEST, 4'd3, 4'd1);
    through(WEST, 4'd2, 4'd0);
    through(WEST, 4'd2, 4'd2);
    through(EAST, 4'd1, 4'd1);
    through(EAST, 4'd2, 4'd0);
    through(EAST, 4'd2, 4'd2);
    through(NORTH, 4'd2, 4'd2);
    through(SOUTH, 4'd2, 4'd0);
    job(1'b0);
    job(1'b1);
    for (waited = 0; waited < 1000 && words < EXPECTED; waited = waited + 1) @(posedge clk);
    repeat (20) @(negedge clk);
    if (words != EXPECTED) $display("%0d words have left", words);
    else if (wrong == 0) $display("no unknown signal; %0d words have left", words);
    $finish;
  end
endmodule
