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
    output logic                      take,   // `front` goes into the register
    output logic [mesh_pkg::FLIT-1:0] front,
    output logic                      full,   // the register has a flit
    output logic [mesh_pkg::FLIT-1:0] flit,
    input  logic                      pop     // which leaves it; only while it is there
);
  logic front_valid;
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

  assign take = front_valid && (!full || pop);

  always_ff @(posedge clk) begin
    if (take) flit <= front;
    if (rst) begin
      full      <= 1'b0;
      in_credit <= 1'b0;
    end else begin
      full      <= take || (full && !pop);
      in_credit <= take;
    end
  end
endmodule
