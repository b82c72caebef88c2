// Between the inputs and an output of a router: one flit at a time, from one who has one, none
// without room; from a packet's head to its tail only its own flits; if its owner, or anybody at
// all, can go, one does; and who keeps asking waits for one packet of each other at most.
module packet_lock_of #(
    parameter int N = 4
) (
    input logic         clk,
    input logic [N-1:0] want,
    input logic [N-1:0] tail,
    input logic         ready
);
  logic rst = 1'b1;
  logic [N-1:0] grant;
  logic [$clog2(N)-1:0] select;
  always_ff @(posedge clk) rst <= 1'b0;

  packet_lock #(.N(N)) lock (.clk, .rst, .want, .tail, .ready, .select, .grant);

  // Inside the lock (an escaped name with `hierconn` is yosys's way to say so).
  (* hierconn *) wire [$clog2(N)-1:0] \lock.last ;
  (* hierconn *) wire [N-1:0] \lock.barred ;

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

  // Whoever the solver chooses, while it keeps asking; packets of others that began meanwhile.
  (* anyconst *) logic [2:0] who;
  logic [2:0] others = '0;
  always @(posedge clk) begin
    assume (who < N);
    if (rst || !want[who]) others <= '0;
    else if (!open && grant != '0) others <= grant[who] ? '0 : others + 1'b1;
  end

  // Those whose packets may still come before `who`'s: between the input whose packet is on its way,
  // or went last, and `who`.
  logic [2:0] after, before_it;
  always_comb begin
    after = 3'(\lock.last );
    if (open) after = (after == N - 1) ? '0 : after + 1'b1;
    before_it = (who > after) ? who - after - 1'b1 : 3'(N - 1) - (after - who);
  end

  always @(posedge clk) begin
    if (!rst) begin
      one_hot : assert ((grant & (grant - 1'b1)) == '0);
      has_a_flit : assert ((grant & ~want) == '0);
      selected : assert (grant == '0 || grant == 1 << select);
      room : assert (ready || grant == '0);
      not_mixed : assert (!open || grant == '0 || grant == whose);
      progress_in_a_packet : assert (!(ready && open && (want & whose) != '0) || grant == whose);
      progress : assert (!(ready && !open && want != '0) || grant != '0);
      same_packet : assert (\lock.barred == (open ? ~whose : '0));
      one_owner : assert (!open || ((whose & (whose - 1'b1)) == '0 && whose != '0));
      owner_first : assert (!open || whose == 1 << after);
      a_place : assert (\lock.last < N);
      turn_comes : assert (others + before_it <= N - 1);
    end
  end
endmodule

// The two sizes that a router has.
module packet_lock_properties (
    input logic       clk,
    input logic [3:0] want, tail,
    input logic [1:0] want_of_two, tail_of_two,
    input logic       ready, ready_of_two
);
  packet_lock_of #(.N(4)) four (.clk, .want, .tail, .ready);
  packet_lock_of #(.N(2)) two (
      .clk, .want(want_of_two), .tail(tail_of_two), .ready(ready_of_two)
  );
endmodule
