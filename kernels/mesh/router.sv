// A router with five ports: local, north, east, south, west. Two clocks a hop: into the buffer,
// into the register in front of it; crossbar and link follow that register without another.
//
// Every link has valid, a flit, and a credit that comes back; a flit is sent only on a credit, so
// the far end always takes it, and nothing waits on a `ready` across a link.
//
// No deadlock. A flit holds places in the buffer of one channel (a link, in one direction) while it
// waits for places in the next. XY routing only asks for east or west after injection or the same
// direction, and for north or south after any of these or the same direction. Number the channels:
// injection 0, then east by column and west by column downwards, then north and south by row in
// their direction, ejection last: each packet asks for rising numbers only, so no circle of waiting
// can close (Dally and Seitz, 1987). A packet to a host port leaves column 1 to the west; that
// channel is ejection, nothing follows it.
//
// Elements answer: a job's packets wait at an element until its results have left. That adds the
// edges from ejection at an element to injection there. They close no circle while each host port
// serves the band of rows from its own row to the next port: requests then use channels east and
// south, results west and north, and the two sets are disjoint. Were any host to serve any element,
// they would close one: the test `mesh.channels` finds it.
module router #(
    parameter int DEPTH = 4,       // flits in an input's buffer, and behind the four sides
    parameter int LOCAL_DEPTH = 4  // flits that fit behind the local output
) (
    input  logic                                      clk,
    input  logic                                      rst,
    input  logic [3:0]                                x,
    input  logic [3:0]                                y,
    input  logic [mesh_pkg::PORTS-1:0]                in_valid,
    input  logic [mesh_pkg::PORTS*mesh_pkg::FLIT-1:0] in_flit,
    output logic [mesh_pkg::PORTS-1:0]                in_credit,
    output logic [mesh_pkg::PORTS-1:0]                out_valid,
    output logic [mesh_pkg::PORTS*mesh_pkg::FLIT-1:0] out_flit,
    input  logic [mesh_pkg::PORTS-1:0]                out_credit
);
  localparam int PORTS = mesh_pkg::PORTS;
  localparam int FLIT = mesh_pkg::FLIT;

  logic [PORTS*FLIT-1:0] flit;  // the one that waits at each input
  logic [PORTS-1:0] tail, sent;
  logic [PORTS*PORTS-1:0] want;   // by output, then input
  logic [PORTS*PORTS-1:0] grant;  // the same

  for (genvar i = 0; i < PORTS; i++) begin : inputs
    logic [PORTS-1:0] wants, granted;
    router_input #(
        .FROM (i),
        .DEPTH(DEPTH)
    ) port (
        .clk,
        .rst,
        .x,
        .y,
        .in_valid (in_valid[i]),
        .in_flit  (in_flit[i*FLIT+:FLIT]),
        .in_credit(in_credit[i]),
        .flit     (flit[i*FLIT+:FLIT]),
        .want     (wants),
        .sent     (sent[i])
    );
    assign tail[i] = flit[i*FLIT+mesh_pkg::TAIL];
    for (genvar o = 0; o < PORTS; o++) begin : crossing
      assign want[o*PORTS+i] = wants[o];
      assign granted[o] = grant[o*PORTS+i];
    end
    assign sent[i] = granted != '0;
  end

  for (genvar o = 0; o < PORTS; o++) begin : outputs
    logic room;
    logic [FLIT-1:0] chosen;
    credits #(
        .DEPTH(o == mesh_pkg::LOCAL ? LOCAL_DEPTH : DEPTH)
    ) far (
        .clk,
        .rst,
        .spend (out_valid[o]),
        .refund(out_credit[o]),
        .any   (room)
    );
    packet_lock #(
        .N(PORTS)
    ) lock (
        .clk,
        .rst,
        .want (want[o*PORTS+:PORTS]),
        .tail,
        .ready(room),
        .grant(grant[o*PORTS+:PORTS])
    );
    always_comb begin
      chosen = '0;
      for (int i = 0; i < PORTS; i++) begin
        if (grant[o*PORTS+i]) chosen |= flit[i*FLIT+:FLIT];
      end
    end
    assign out_valid[o] = grant[o*PORTS+:PORTS] != '0;
    assign out_flit[o*FLIT+:FLIT] = chosen;
  end
endmodule
