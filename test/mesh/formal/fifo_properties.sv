// A queue behind its credits, whatever both ends do: it never overflows, its words come out in
// order and as they went in, and the sender has a credit whenever there is a place.
module fifo_properties #(
    parameter int DEPTH = 4
) (
    input logic       clk,
    input logic       send,
    input logic       take,
    input logic [1:0] in
);
  localparam int LEVEL = $clog2(DEPTH + 1);

  logic rst = 1'b1;
  logic any, valid, push, pop, returned;
  logic [1:0] out;
  logic [LEVEL-1:0] level;

  // As between two routers: the credit comes back one clock after its flit was taken out.
  assign push = send && any && !rst;
  assign pop = take && valid && !rst;
  always_ff @(posedge clk) begin
    rst <= 1'b0;
    returned <= pop;
  end

  credits #(.DEPTH(DEPTH)) far (.clk, .rst, .spend(push), .refund(returned && !rst), .any);
  fifo #(.WIDTH(2), .DEPTH(DEPTH)) buffer (.clk, .rst, .push, .in, .pop, .out, .valid, .level);

  // Inside the two (an escaped name with `hierconn` is yosys's way to say so).
  (* hierconn *) wire [$clog2(DEPTH)-1:0] \buffer.head , \buffer.tail ;
  (* hierconn *) wire [LEVEL-1:0] \far.count ;
  (* hierconn *) wire [1:0] \buffer.words[0] , \buffer.words[1] ;
  (* hierconn *) wire [1:0] \buffer.words[2] , \buffer.words[3] ;
  logic [7:0] words;
  assign words = {\buffer.words[3] , \buffer.words[2] , \buffer.words[1] , \buffer.words[0] };
  logic [LEVEL-1:0] head, tail, credit;
  assign head = LEVEL'(\buffer.head );
  assign tail = LEVEL'(\buffer.tail );
  assign credit = \far.count ;

  // One word, chosen by the solver at any time, is followed to the front.
  (* anyseq *) logic watch;
  logic watching = 1'b0;
  logic [1:0] word;
  logic [LEVEL-1:0] ahead;  // words that leave before it
  always_ff @(posedge clk) begin
    if (!rst) begin
      if (!watching && push && watch) begin
        watching <= 1'b1;
        word <= in;
        ahead <= level - LEVEL'(pop);
      end else if (watching && pop) begin
        if (ahead == '0) watching <= 1'b0;
        else ahead <= ahead - 1'b1;
      end
    end
  end

  // Where something is that far behind the front.
  function automatic logic [LEVEL:0] behind(input logic [LEVEL:0] far_behind);
    behind = head + far_behind;
    if (behind >= DEPTH) behind = behind - DEPTH;
  endfunction

  always @(posedge clk) begin
    if (!rst) begin
      no_overflow : assert (!(push && level == DEPTH));
      a_word_is_there : assert (valid == (level != 0));
      all_places_known : assert (credit + level + returned == DEPTH);
      sender_goes_on : assert (any == (credit != 0));
      pointers : assert (tail == behind(level) && head < DEPTH);
      if (watching) begin
        not_lost : assert (ahead < level);
        unchanged : assert (words[2*behind(ahead)+:2] == word);
        in_order : assert (!(valid && ahead == '0) || out == word);
      end
    end
  end
endmodule
