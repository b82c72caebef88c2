// The sending half of a network interface: makes packets of results. What waits when the last
// packet has gone becomes the next, 16 words at most: where the way is free a block goes as soon as
// it is there, and where it is not packets grow by themselves, until the head costs one flit in 17.
module result_sender #(
    parameter int DEPTH = 4,       // flits that fit into the router's buffer
    parameter int BLOCK_WORDS = 1
) (
    input  logic                      clk,
    input  logic                      rst,
    input  logic                      start,         // a new range: packets count from its first
    input  logic [19:0]               first,
    input  logic [3:0]                host_y,
    output logic                      busy,
    input  logic                      result_valid,
    input  logic [mesh_pkg::WORD-1:0] result,
    output logic                      result_ready,
    output logic                      out_valid,
    output logic [mesh_pkg::FLIT-1:0] out_flit,
    input  logic                      out_credit
);
  localparam int QUEUE = 2 * mesh_pkg::PACKET_WORDS;
  localparam int LEVEL = $clog2(QUEUE + 1);
  localparam int SHIFT = BLOCK_WORDS - 1;  // words to blocks

  typedef enum logic [1:0] { IDLE, SEND_HEAD, SEND_WORDS } state_t;
  state_t state;

  logic [mesh_pkg::WORD-1:0] front;
  logic front_valid, push, pop, room;
  logic [LEVEL-1:0] level, waiting;  // words queued, and of these in whole blocks
  logic [4:0] words;                 // of this packet, still to go
  logic [19:0] index;
  mesh_pkg::head_t head;

  fifo #(
      .WIDTH(mesh_pkg::WORD),
      .DEPTH(QUEUE)
  ) queue (
      .clk,
      .rst,
      .push,
      .in   (result),
      .pop,
      .out  (front),
      .valid(front_valid),
      .level
  );
  credits #(
      .DEPTH(DEPTH)
  ) far (
      .clk,
      .rst,
      .spend (out_valid),
      .refund(out_credit),
      .any   (room)
  );

  always_comb begin
    head = '0;
    head.to_y = host_y;
    head.kind = mesh_pkg::RESULT;
    head.count = 20'(words) >> SHIFT;
    head.first = index;
  end

  assign waiting = {level[LEVEL-1:1], level[0] && BLOCK_WORDS == 1};
  assign push = result_valid && result_ready;
  assign busy = front_valid || state != IDLE;
  assign out_valid = room && state != IDLE;
  assign pop = room && state == SEND_WORDS;
  assign out_flit = (state == SEND_HEAD) ? {2'b10, head} : {1'b0, words == 5'd1, front};

  always_ff @(posedge clk) begin
    // A register, so that the element does not wait for the level: a word more may come in this
    // clock, and one in the next.
    result_ready <= !rst && level <= LEVEL'(QUEUE - 2);

    if (rst) state <= IDLE;
    else begin
      case (state)
        IDLE: if (waiting != '0) state <= SEND_HEAD;
        SEND_HEAD: if (room) state <= SEND_WORDS;
        default: if (room && words == 5'd1) state <= IDLE;
      endcase
    end

    if (state == IDLE) begin
      words <= (waiting > LEVEL'(mesh_pkg::PACKET_WORDS)) ? 5'(mesh_pkg::PACKET_WORDS)
                                                          : 5'(waiting);
    end else if (pop) words <= words - 1'b1;

    if (start) index <= first;
    else if (state == SEND_HEAD && room) index <= index + (20'(words) >> SHIFT);
  end
endmodule
