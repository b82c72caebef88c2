// The receiving half of a network interface: takes packets apart. A job starts its element at its
// tail; the next one waits until the results of the last have left, and so do the packets behind
// it. A packet that is no good (a job of another length, data that nobody asked for) is dropped,
// and so is data beyond the range.
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

  typedef enum logic [1:0] { IDLE, TAKE_JOB, TAKE_DATA, DROP } state_t;
  state_t state;

  logic [mesh_pkg::FLIT-1:0] flit, unused_front;
  logic full, pop, tail, starts, running, last, unused_valid, unused_advance;
  logic [1:0] word;
  logic [WORDS*WORD-1:0] words;
  mesh_pkg::head_t head;

  input_buffer #(
      .DEPTH(mesh_pkg::INTERFACE_DEPTH)
  ) buffer (
      .clk, .rst, .in_valid, .in_flit, .in_credit,
      .front_valid(unused_valid), .front(unused_front), .advance(unused_advance), .full, .flit, .pop
  );

  assign head = flit[WORD-1:0];
  assign tail = flit[mesh_pkg::TAIL];
  assign data = flit[WORD-1:0];
  assign last = word == 2'(WORDS - 1);
  assign starts = state == TAKE_JOB && pop && tail && last;

  always_comb begin
    data_valid = state == TAKE_DATA && full;
    case (state)
      IDLE: pop = full && !(running && head.kind == mesh_pkg::JOB);
      TAKE_DATA: pop = full && (data_take || !running);
      default: pop = full;
    endcase
  end

  always_ff @(posedge clk) begin
    start   <= !rst && starts;
    running <= !rst && (starts || start || busy);
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
      words <= {words[(WORDS-1)*WORD-1:0], flit[WORD-1:0]};
    end
  end

  assign key = 128'(words[WORDS*WORD-1:BLOCK_WORDS*WORD]) << (128 - KEY_WORDS * WORD);
  assign counter = 128'(words[BLOCK_WORDS*WORD-1:0]);
endmodule
