// One output of a router: which input sends its flit. The arbiter chooses where a packet begins;
// from there to the packet's tail the output belongs to that input, so packets never mix (wormhole
// switching: W. J. Dally, C. L. Seitz, "Deadlock-free message routing in multiprocessor
// interconnection networks", IEEE Trans. Computers 36(5), 1987).
module packet_lock #(
    parameter int N = 5
) (
    input  logic         clk,
    input  logic         rst,
    input  logic [N-1:0] want,   // inputs that have a flit for this output
    input  logic [N-1:0] tail,   // inputs whose flit ends its packet
    input  logic         ready,  // the far end has room
    output logic [N-1:0] grant   // the input whose flit goes out in this clock
);
  logic locked;
  logic [N-1:0] owner, chosen;

  arbiter #(
      .N(N)
  ) choose (
      .clk,
      .rst,
      .want,
      .take (ready && !locked && want != '0),
      .grant(chosen)
  );

  assign grant = ready ? (locked ? owner & want : chosen) : '0;

  always_ff @(posedge clk) begin
    if (rst) locked <= 1'b0;
    else if (grant != '0) begin
      locked <= (grant & tail) == '0;
      owner  <= grant;
    end
  end
endmodule
