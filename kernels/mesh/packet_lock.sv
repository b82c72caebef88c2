// One output of a router: which input sends its flit. Round robin chooses where a packet begins:
// the input whose packet went last comes last, so a packet waits for one of each other input at
// most. From there to the packet's tail the output belongs to that input, so packets never mix
// (wormhole switching: W. J. Dally, C. L. Seitz, "Deadlock-free message routing in multiprocessor
// interconnection networks", IEEE Trans. Computers 36(5), 1987).
//
// Within a packet its owner comes first and the others are barred. So the choice is a function of
// registers alone, and of few: the crossbar waits neither for `ready` nor for what is barred.
module packet_lock #(
    parameter int N = 4
) (
    input  logic                 clk,
    input  logic                 rst,
    input  logic [N-1:0]         want,   // inputs that have a flit for this output
    input  logic [N-1:0]         tail,   // inputs whose flit ends its packet
    input  logic                 ready,  // the far end has room
    output logic [$clog2(N)-1:0] select, // the input that comes first, of those that have a flit
    output logic [N-1:0]         grant   // that input, if its flit goes out in this clock
);
  localparam int PLACE = $clog2(N);
  localparam logic [PLACE-1:0] LAST_PLACE = PLACE'(N - 1);

  logic [PLACE-1:0] last;  // comes last; the one behind it comes first
  logic [N-1:0] barred;    // all but a packet's owner, from its head to its tail
  logic ends;              // its packet ends with this flit
  logic [N*PLACE-1:0] first_behind;  // who comes first, for each value of `last`

  for (genvar place = 0; place < N; place++) begin : behind
    always_comb begin
      first_behind[place*PLACE+:PLACE] = PLACE'(place);
      for (int step = N - 1; step > 0; step--) begin
        if (want[(place+step)%N]) first_behind[place*PLACE+:PLACE] = PLACE'((place + step) % N);
      end
    end
  end

  assign ends = (grant & tail) != '0;

  always_comb begin
    select = first_behind[0+:PLACE];
    for (int n = 1; n < N; n++) if (last == PLACE'(n)) select = first_behind[n*PLACE+:PLACE];
    for (int n = 0; n < N; n++) grant[n] = ready && want[n] && !barred[n] && select == PLACE'(n);
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      last   <= LAST_PLACE;
      barred <= '0;
    end else if (grant != '0) begin
      last   <= ends ? select : (select == '0) ? LAST_PLACE : select - 1'b1;
      barred <= ends ? '0 : ~grant;
    end
  end
endmodule
