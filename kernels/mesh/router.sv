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
  logic [PORTS*PORTS-1:0] want;   // by input, then output
  logic [PORTS*PORTS-1:0] grant;  // by output, then input

  for (genvar i = 0; i < PORTS; i++) begin : inputs
    logic [PORTS-1:0] granted;
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
        .want     (want[i*PORTS+:PORTS]),
        .sent     (sent[i])
    );
    assign tail[i] = flit[i*FLIT+mesh_pkg::TAIL];
    for (genvar o = 0; o < PORTS; o++) begin : crossing
      assign granted[o] = grant[o*PORTS+i];
    end
    assign sent[i] = granted != '0;
  end

  for (genvar o = 0; o < PORTS; o++) begin : outputs
    // The inputs that may ask for it, by their distance: all others; for the east side, the west one
    // and the local one.
    localparam int N = (o == mesh_pkg::EAST) ? 2 : PORTS - 1;
    localparam int FIRST = (o == mesh_pkg::EAST) ? mesh_pkg::WEST - mesh_pkg::EAST : 1;
    logic room;
    logic [N-1:0] wants, ends, grants;
    logic [N*FLIT-1:0] flits;
    logic [FLIT-1:0] chosen;
    logic [$clog2(N)-1:0] select;
    for (genvar i = 0; i < PORTS; i++) begin : from
      localparam int PLACE = (i + PORTS - o) % PORTS - FIRST;
      if (PLACE >= 0 && PLACE < N) begin : candidate
        assign wants[PLACE] = want[i*PORTS+o];
        assign ends[PLACE] = tail[i];
        assign flits[PLACE*FLIT+:FLIT] = flit[i*FLIT+:FLIT];
        assign grant[o*PORTS+i] = grants[PLACE];
      end else begin : other
        logic unused;
        assign unused = want[i*PORTS+o];
        assign grant[o*PORTS+i] = 1'b0;
      end
    end
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
        .N(N)
    ) lock (
        .clk,
        .rst,
        .want (wants),
        .tail (ends),
        .ready(room),
        .select,
        .grant(grants)
    );
    // No `select` in an index, which yosys would make a shifter of.
    if (N == 2) begin : of_two
      assign chosen = select[0] ? flits[FLIT+:FLIT] : flits[0+:FLIT];
    end else begin : of_four
      assign chosen = select[1] ? (select[0] ? flits[3*FLIT+:FLIT] : flits[2*FLIT+:FLIT])
                                : (select[0] ? flits[FLIT+:FLIT] : flits[0+:FLIT]);
    end
    assign out_valid[o] = grants != '0;
    assign out_flit[o*FLIT+:FLIT] = chosen;  // any flit where there is none to send
  end
endmodule
