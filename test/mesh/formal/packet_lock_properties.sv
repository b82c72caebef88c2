// Between the inputs and an output of a router: one flit at a time, from one who has one, none
// without room; from a packet's head to its tail only its own flits; and if its owner, or anybody
// at all, can go, one does.
module packet_lock_properties #(
    parameter int N = 5
) (
    input logic         clk,
    input logic [N-1:0] want,
    input logic [N-1:0] tail,
    input logic         ready
);
  logic rst = 1'b1;
  logic [N-1:0] grant;
  always_ff @(posedge clk) rst <= 1'b0;

  packet_lock #(.N(N)) lock (.clk, .rst, .want, .tail, .ready, .grant);

  // Inside the lock (an escaped name with `hierconn` is yosys's way to say so).
  (* hierconn *) wire \lock.locked ;
  (* hierconn *) wire [N-1:0] \lock.owner ;

  // The packet that is on its way, as seen from outside.
  logic open = 1'b0;
  logic [N-1:0] whose;
  always_ff @(posedge clk) begin
    if (rst) open <= 1'b0;
    else if (grant != '0) begin
      open  <= (grant & tail) == '0;
      whose <= grant;
    end
  end

  always @(posedge clk) begin
    if (!rst) begin
      one_hot : assert ((grant & (grant - 1'b1)) == '0);
      has_a_flit : assert ((grant & ~want) == '0);
      room : assert (ready || grant == '0);
      not_mixed : assert (!open || grant == '0 || grant == whose);
      progress_in_a_packet : assert (!(ready && open && (want & whose) != '0) || grant == whose);
      progress : assert (!(ready && !open && want != '0) || grant != '0);
      same_packet : assert (open == \lock.locked && (!open || \lock.owner == whose));
      one_owner : assert (!open || ((whose & (whose - 1'b1)) == '0 && whose != '0));
    end
  end
endmodule
