// A queue of DEPTH words, first in first out. The sender must not push into a full one: credits (or
// `level`) see to that, so there is no `full`. The word at the front is on `out` while `valid`.
module fifo #(
    parameter int WIDTH = 66,
    parameter int DEPTH = 4
) (
    input  logic                       clk,
    input  logic                       rst,
    input  logic                       push,
    input  logic [WIDTH-1:0]           in,
    input  logic                       pop,
    output logic [WIDTH-1:0]           out,
    output logic                       valid,
    output logic [$clog2(DEPTH+1)-1:0] level
);
  localparam int PTR = $clog2(DEPTH);
  localparam logic [PTR-1:0] END = PTR'(DEPTH - 1);

  logic [WIDTH-1:0] words[DEPTH];
  logic [PTR-1:0] head, tail, next_head;
  logic full;

  assign out = words[head];
  assign next_head = (head == END) ? '0 : head + 1'b1;
  assign full = valid && head == tail;

  always_ff @(posedge clk) begin
    // What is not pushed is overwritten before it is read. So the memory waits for registers alone.
    if (!full) words[tail] <= in;
    if (rst) begin
      head  <= '0;
      tail  <= '0;
      level <= '0;
      valid <= 1'b0;
    end else begin
      if (push) tail <= (tail == END) ? '0 : tail + 1'b1;
      if (pop) head <= next_head;
      // `push` and `pop` come late: all that they choose between is ready before them.
      if (push && !pop) level <= level + 1'b1;
      if (pop && !push) level <= level - 1'b1;
      // Set by `push` alone, so that yosys removes a queue into which nothing ever goes.
      if (push) valid <= 1'b1;
      else if (pop && next_head == tail) valid <= 1'b0;
    end
  end
endmodule
