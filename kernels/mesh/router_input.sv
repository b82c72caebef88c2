// One input of a router: the buffer, and the register in front of it with the flit that waits for
// an output. Which output that is, is found while the flit goes into the register, and stands in
// registers of its own: routing is out of the way of arbitration and crossbar, for a second clock a
// hop. A packet's head sets the way of all its flits.
//
// XY routing: along the row first, then along the column. Column 0 is the host port at the west end
// of a row; its packets go to column 1, along that column to the row, and leave to the west there.
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
    output logic [mesh_pkg::PORTS-1:0] want,  // the output; none without a flit
    input  logic                       sent
);
  localparam bit ALONG_COLUMN = FROM == mesh_pkg::NORTH || FROM == mesh_pkg::SOUTH;

  logic [mesh_pkg::FLIT-1:0] front;
  logic front_valid, advance, unused_full;
  logic [mesh_pkg::PORTS-1:0] way, way_of_head, next_way;

  input_buffer #(
      .DEPTH(DEPTH)
  ) buffer (
      .clk, .rst, .in_valid, .in_flit, .in_credit,
      .front_valid, .front, .advance, .full(unused_full), .flit, .pop(sent)
  );

  logic [3:0] to_x, to_y;
  logic to_host, east, west, north, south, here, arrives;

  always_comb begin
    to_x    = front[59:56];
    to_y    = front[55:52];
    to_host = to_x == 4'd0;
    // A packet in its column is never turned back into a row, and none goes back by the way it came:
    // what cannot be asked for is not built.
    east  = !ALONG_COLUMN && FROM != mesh_pkg::EAST && to_x > x;
    west  = !ALONG_COLUMN && FROM != mesh_pkg::WEST && to_x < x && x != 4'd1;
    here  = (to_host ? 4'd1 : to_x) == x || ALONG_COLUMN;
    north = FROM != mesh_pkg::NORTH && here && to_y < y;
    south = FROM != mesh_pkg::SOUTH && here && to_y > y;

    arrives = here && to_y == y;

    way_of_head = '0;
    way_of_head[mesh_pkg::EAST]  = east;
    way_of_head[mesh_pkg::NORTH] = north;
    way_of_head[mesh_pkg::SOUTH] = south;
    way_of_head[mesh_pkg::WEST]  = west ||
                                   (FROM != mesh_pkg::WEST && arrives && to_host && x == 4'd1);
    way_of_head[mesh_pkg::LOCAL] = FROM != mesh_pkg::LOCAL && arrives && !to_host;
  end

  assign next_way = front[mesh_pkg::HEAD] ? way_of_head : way;

  always_ff @(posedge clk) begin
    // As soon as a head is in front: the flits before it have their way in `want`.
    if (front_valid && front[mesh_pkg::HEAD]) way <= way_of_head;
    if (rst) want <= '0;
    else if (advance) want <= front_valid ? next_way : '0;
  end
endmodule
