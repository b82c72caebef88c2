// Round robin over N requests: one grant at most, and one whenever there is a request. After
// `take`, whoever was granted comes last, so a request waits for N - 1 others at most.
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

  // The lowest request alone, and all places above the one granted: loops, as carry chains would be
  // the longest path of the router.
  function automatic logic [N-1:0] lowest(input logic [N-1:0] requests);
    logic below;
    below = 1'b0;
    for (int i = 0; i < N; i++) begin
      lowest[i] = requests[i] && !below;
      below = below || requests[i];
    end
  endfunction
  function automatic logic [N-1:0] places_above(input logic [N-1:0] one);
    logic below;
    below = 1'b0;
    for (int i = 0; i < N; i++) begin
      places_above[i] = below;
      below = below || one[i];
    end
  endfunction

  assign ahead = want & above;
  assign grant = (ahead != '0) ? lowest(ahead) : lowest(want);

  always_ff @(posedge clk) begin
    if (rst) above <= '0;
    else if (take) above <= places_above(grant);
  end
endmodule
