// One grant at most, to one who asks, and one whenever there is somebody; who keeps asking is
// granted after N - 1 others at most.
module arbiter_properties #(
    parameter int N = 5
) (
    input logic         clk,
    input logic [N-1:0] want,
    input logic         go
);
  logic rst = 1'b1;
  logic [N-1:0] grant;
  logic take;
  assign take = go && want != '0;
  always_ff @(posedge clk) rst <= 1'b0;

  arbiter #(.N(N)) arb (.clk, .rst, .want, .take, .grant);

  // Whoever the solver chooses, while it keeps asking.
  (* anyconst *) logic [2:0] who;
  logic [2:0] others = '0;  // granted since it asks
  always @(posedge clk) begin
    assume (who < N);
    if (rst || !want[who]) others <= '0;
    else if (take) others <= grant[who] ? '0 : others + 1'b1;
  end

  // Inside the arbiter (an escaped name with `hierconn` is yosys's way to say so).
  (* hierconn *) wire [N-1:0] \arb.above ;
  logic [N-1:0] above;
  assign above = \arb.above ;

  // Those who may still come before `who`.
  logic [2:0] before_it;
  always_comb begin
    before_it = '0;
    for (int i = 0; i < N; i++) begin
      if (i != who && (above[who] ? above[i] && i < who : above[i] || i < who)) begin
        before_it = before_it + 1'b1;
      end
    end
  end

  always @(posedge clk) begin
    if (!rst) begin
      one_hot : assert ((grant & (grant - 1'b1)) == '0);
      asked_for : assert ((grant & ~want) == '0);
      never_idle : assert ((grant != '0) == (want != '0));
      all_from_a_place_on : assert ((~above & (~above + 1'b1)) == '0);
      turn_comes : assert (others + before_it <= N - 1);
    end
  end
endmodule
