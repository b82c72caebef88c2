// The receiving half of a network interface: takes packets apart. A job starts its element at its tail; the
// next one waits until the results of the last have left, and so do the packets behind it. A packet that
// is no good (a job of another length, data that nobody asked for) is dropped, and so is data beyond the
// range.
module job_receiver #(
    parameter int KEY_WORDS = 1,
    parameter int BLOCK_WORDS = 1
) (
    input  logic                      clk,
    input  logic                      rst,
    input  logic                      in_valid,
    input  logic [mesh_pkg::FLIT-1:0] in_flit,
    output logic                      in_credit,
    output logic                      start,
    output logic [127:0]              key,
    output logic [127:0]              counter,
    output mesh_pkg::head_t           job,
    input  logic                      busy,         // results of the last job have not all left
    output logic                      data_valid,
    output logic [mesh_pkg::WORD-1:0] data,
    input  logic                      data_take
);
  localparam int WORD = mesh_pkg::WORD;
  localparam int WORDS = KEY_WORDS + BLOCK_WORDS;
  localparam int DEPTH = mesh_pkg::INTERFACE_DEPTH;

  typedef enum logic [1:0] { IDLE, TAKE_JOB, TAKE_DATA, DROP } state_t;
  state_t state;

  logic [mesh_pkg::FLIT-1:0] front;
  logic front_valid, pop, tail, running, last;
  logic [1:0] word;
  logic [WORDS*WORD-1:0] words;
  mesh_pkg::head_t head;
  logic [$clog2(DEPTH+1)-1:0] unused_level;

  fifo #(
      .WIDTH(mesh_pkg::FLIT),
      .DEPTH(DEPTH)
  ) buffer (
      .clk,
      .rst,
      .push (in_valid),
      .in   (in_flit),
      .pop,
      .out  (front),
      .valid(front_valid),
      .level(unused_level)
  );

  assign head = front[WORD-1:0];
  assign tail = front[mesh_pkg::TAIL];
  assign data = front[WORD-1:0];
  assign last = word == 2'(WORDS - 1);
  assign running = start || busy;

  always_comb begin
    data_valid = state == TAKE_DATA && front_valid;
    case (state)
      IDLE: pop = front_valid && !(running && head.kind == mesh_pkg::JOB);
      TAKE_DATA: pop = front_valid && (data_take || !running);
      default: pop = front_valid;
    endcase
  end

  always_ff @(posedge clk) begin
    in_credit <= pop && !rst;
    start <= !rst && state == TAKE_JOB && pop && tail && last;
    if (rst) state <= IDLE;
    else if (pop) begin
      if (tail) state <= IDLE;
      else if (state == IDLE) begin
        if (head.kind == mesh_pkg::JOB) state <= TAKE_JOB;
        else if (head.kind == mesh_pkg::DATA && running && job.with_data) state <= TAKE_DATA;
        else state <= DROP;
      end else if (state == TAKE_JOB && last) state <= DROP;
    end

    if (pop && state == IDLE && head.kind == mesh_pkg::JOB) begin
      job  <= head;
      word <= '0;
    end
    if (pop && state == TAKE_JOB) begin
      word  <= word + 1'b1;
      words <= {words[(WORDS-1)*WORD-1:0], front[WORD-1:0]};
    end
  end

  assign key = 128'(words[WORDS*WORD-1:BLOCK_WORDS*WORD]) << (128 - KEY_WORDS * WORD);
  assign counter = 128'(words[BLOCK_WORDS*WORD-1:0]);
endmodule
