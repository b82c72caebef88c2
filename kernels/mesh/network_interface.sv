// Between a router's local port and an element: jobs and data in, results out, to the host port
// that the job names.
module network_interface #(
    parameter int DEPTH = 4,  // flits that fit into the router's buffer
    parameter int KEY_WORDS = 1,
    parameter int BLOCK_WORDS = 1
) (
    input  logic                      clk,
    input  logic                      rst,
    // the router
    input  logic                      in_valid,
    input  logic [mesh_pkg::FLIT-1:0] in_flit,
    output logic                      in_credit,
    output logic                      out_valid,
    output logic [mesh_pkg::FLIT-1:0] out_flit,
    input  logic                      out_credit,
    // the element
    output logic                      start,
    output logic [127:0]              key,
    output logic [127:0]              counter,
    output logic [19:0]               first,
    output logic [19:0]               count,
    output logic [4:0]                last_bytes,
    output logic                      with_data,
    input  logic                      busy,
    output logic                      data_valid,
    output logic [mesh_pkg::WORD-1:0] data,
    input  logic                      data_take,
    input  logic                      result_valid,
    input  logic [mesh_pkg::WORD-1:0] result,
    output logic                      result_ready
);
  mesh_pkg::head_t job;
  logic sending, unused;

  job_receiver #(
      .KEY_WORDS(KEY_WORDS),
      .BLOCK_WORDS(BLOCK_WORDS)
  ) receive (
      .clk,
      .rst,
      .in_valid,
      .in_flit,
      .in_credit,
      .start,
      .key,
      .counter,
      .job,
      .busy(busy || sending),
      .data_valid,
      .data,
      .data_take
  );
  result_sender #(
      .DEPTH(DEPTH),
      .BLOCK_WORDS(BLOCK_WORDS)
  ) send (
      .clk,
      .rst,
      .start,
      .first,
      .host_y(job.host_y),
      .busy(sending),
      .result_valid,
      .result,
      .result_ready,
      .out_valid,
      .out_flit,
      .out_credit
  );

  assign first = job.first;
  assign count = job.count;
  assign last_bytes = job.last_bytes;
  assign with_data = job.with_data;
  assign unused = &{1'b0, job.spare, job.to_x, job.to_y, job.kind};
endmodule
