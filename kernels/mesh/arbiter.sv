// Round robin over N requests: one grant at most, and one whenever there is a request. After `take`,
// whoever was granted comes last, so a request waits for N - 1 others at most.
module arbiter #(
    parameter int N = 5
) (
    input  logic         clk,
    input  logic         rst,
    input  logic [N-1:0] want,
    input  logic         take,
    output logic [N-1:0] grant
);
  logic [N-1:0] above;  // the requests behind the last one granted, which come first
  logic [N-1:0] ahead;

  assign ahead = want & above;
  assign grant = (ahead != '0) ? ahead & (~ahead + 1'b1) : want & (~want + 1'b1);

  always_ff @(posedge clk) begin
    if (rst) above <= '0;
    else if (take) above <= ~(grant | (grant - 1'b1));
  end
endmodule
