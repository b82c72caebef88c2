// The receiving end of a link: a buffer, and a register in front of it with the flit that is next.
// Reading the buffer is out of the way of what is decided about that flit. Flits follow one another
// in each clock.
module input_buffer #(
    parameter int DEPTH = 4
) (
    input  logic                      clk,
    input  logic                      rst,
    input  logic                      in_valid,
    input  logic [mesh_pkg::FLIT-1:0] in_flit,
    output logic                      in_credit,
    output logic                      front_valid,
    output logic [mesh_pkg::FLIT-1:0] front,
    output logic                      advance,  // `front`, if valid, goes into the register
    output logic                      full,     // the register has a flit
    output logic [mesh_pkg::FLIT-1:0] flit,
    input  logic                      pop       // which leaves it; only while it is there
);
  logic take;
  logic [$clog2(DEPTH+1)-1:0] unused_level;

  fifo #(
      .WIDTH(mesh_pkg::FLIT),
      .DEPTH(DEPTH)
  ) buffer (
      .clk,
      .rst,
      .push (in_valid),
      .in   (in_flit),
      .pop  (take),
      .out  (front),
      .valid(front_valid),
      .level(unused_level)
  );

  assign advance = !full || pop;
  assign take = front_valid && advance;

  always_ff @(posedge clk) begin
    if (advance) flit <= front;
    if (rst) begin
      full      <= 1'b0;
      in_credit <= 1'b0;
    end else begin
      if (advance) full <= front_valid;
      in_credit <= take;
    end
  end
endmodule
