// One input of a router: the buffer, and a register in front of it with the flit that waits for an
// output. The register takes the routing out of the way of arbitration and crossbar, for a second clock a
// hop. A packet's head sets the way of all its flits.
//
// XY routing: along the row first, then along the column. Column 0 is the host port at the west end of a
// row; its packets go to column 1, along that column to the row, and leave to the west there.
module router_input #(
    parameter int FROM  = mesh_pkg::LOCAL,  // the side this input is on
    parameter int DEPTH = 4
) (
    input  logic                       clk,
    input  logic                       rst,
    input  logic [3:0]                 x,
    input  logic [3:0]                 y,
    input  logic                       in_valid,
    input  logic [mesh_pkg::FLIT-1:0]  in_flit,
    output logic                       in_credit,
    output logic [mesh_pkg::FLIT-1:0]  flit,
    output logic [mesh_pkg::PORTS-1:0] want,
    input  logic                       sent
);
  localparam bit ALONG_COLUMN = FROM == mesh_pkg::NORTH || FROM == mesh_pkg::SOUTH;

  logic [mesh_pkg::FLIT-1:0] front;
  logic front_valid, take, full;
  logic [mesh_pkg::PORTS-1:0] way, way_of_head;
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

  logic [3:0] to_x, to_y;
  logic to_host, east, west, north, south, here;

  always_comb begin
    to_x    = front[59:56];
    to_y    = front[55:52];
    to_host = to_x == 4'd0;
    // A packet in its column is never turned back into a row, and none goes back along either: what cannot be
    // asked for is not built.
    east  = !ALONG_COLUMN && FROM != mesh_pkg::EAST && to_x > x;
    west  = !ALONG_COLUMN && FROM != mesh_pkg::WEST && to_x < x && x != 4'd1;
    here  = (to_host ? 4'd1 : to_x) == x || ALONG_COLUMN;
    north = FROM != mesh_pkg::NORTH && here && to_y < y;
    south = FROM != mesh_pkg::SOUTH && here && to_y > y;

    way_of_head = '0;
    way_of_head[mesh_pkg::EAST]  = east;
    way_of_head[mesh_pkg::NORTH] = north;
    way_of_head[mesh_pkg::SOUTH] = south;
    way_of_head[mesh_pkg::WEST]  = west || (here && x == 4'd1 && to_host && to_y == y);
    way_of_head[mesh_pkg::LOCAL] = here && !to_host && to_y == y;
  end

  assign take = front_valid && (!full || sent);
  assign want = full ? way : '0;

  always_ff @(posedge clk) begin
    if (take) begin
      flit <= front;
      if (front[mesh_pkg::HEAD]) way <= way_of_head;
    end
    if (rst) begin
      full      <= 1'b0;
      in_credit <= 1'b0;
    end else begin
      full      <= take || (full && !sent);
      in_credit <= take;
    end
  end
endmodule
