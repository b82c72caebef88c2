// Free places in the buffer at the far end of a link, as the sender counts them: one is spent with
// each flit, one comes back when the far end has taken a flit out of its buffer. No flit is sent
// without, so that buffer cannot overflow.
module credits #(
    parameter int DEPTH = 4
) (
    input  logic clk,
    input  logic rst,
    input  logic spend,
    input  logic refund,
    output logic any
);
  localparam int COUNT = $clog2(DEPTH + 1);
  logic [COUNT-1:0] count;

  always_ff @(posedge clk) begin
    if (rst) begin
      count <= COUNT'(DEPTH);
      any   <= 1'b1;
    end else begin
      // `spend` comes late: all that it chooses between is ready before it.
      if (refund && !spend) count <= count + 1'b1;
      if (spend && !refund) count <= count - 1'b1;
      any <= refund || (spend ? count >= COUNT'(2) : any);
    end
  end
endmodule
