// Counter mode on a mesh of elements: WIDTH x HEIGHT nodes, the links between them, and HOSTS ports at the
// west edge. Port h is at the first row of band h of HEIGHT / HOSTS rows, and may give jobs to the elements
// of its band: router.sv says why no others.
//
// The system is that of S. Najjar-Ghabel, S. Yousefi, M. Zolfy Lighvan, "A high speed implementation counter
// mode cryptography using hardware parallelism" (a 2 x 2 mesh with XY routing, N/4 blocks a core), with
// dedicated elements in place of processors. Packets: README.md.
module mesh #(
    parameter int WIDTH = 2,
    parameter int HEIGHT = 2,
    parameter int DEPTH = 4,  // flits in a router's input buffer; a host's must hold as many
    parameter int ELEMENT = mesh_pkg::DES,
    parameter int HOSTS = 1
) (
    input  logic                            clk,
    input  logic                            rst,
    input  logic [HOSTS-1:0]                in_valid,
    input  logic [HOSTS*mesh_pkg::FLIT-1:0] in_flit,
    output logic [HOSTS-1:0]                in_credit,
    output logic [HOSTS-1:0]                out_valid,
    output logic [HOSTS*mesh_pkg::FLIT-1:0] out_flit,
    input  logic [HOSTS-1:0]                out_credit
);
  localparam int PORTS = mesh_pkg::PORTS;
  localparam int FLIT = mesh_pkg::FLIT;
  localparam int NORTH = mesh_pkg::NORTH;
  localparam int EAST = mesh_pkg::EAST;
  localparam int SOUTH = mesh_pkg::SOUTH;
  localparam int WEST = mesh_pkg::WEST;
  localparam int BAND = HEIGHT / HOSTS;

  for (genvar j = 0; j < HEIGHT; j++) begin : row
    for (genvar i = 0; i < WIDTH; i++) begin : column
      logic [PORTS-1:1] iv, ic, ov, oc;         // valid and credit, in and out
      logic [PORTS*FLIT-1:FLIT] id, od;  // flits, in and out

      node #(
          .DEPTH(DEPTH),
          .ELEMENT(ELEMENT)
      ) place (
          .clk,
          .rst,
          .x(4'(i + 1)),
          .y(4'(j)),
          .in_valid(iv),
          .in_flit(id),
          .in_credit(ic),
          .out_valid(ov),
          .out_flit(od),
          .out_credit(oc)
      );

      if (i == 0 && j % BAND == 0 && j / BAND < HOSTS) begin : host
        localparam int H = j / BAND;
        assign iv[WEST] = in_valid[H];
        assign id[WEST*FLIT+:FLIT] = in_flit[H*FLIT+:FLIT];
        assign in_credit[H] = ic[WEST];
        assign out_valid[H] = ov[WEST];
        assign out_flit[H*FLIT+:FLIT] = od[WEST*FLIT+:FLIT];
        assign oc[WEST] = out_credit[H];
      end else if (i == 0) begin : west_end
        logic unused;
        assign iv[WEST] = 1'b0;
        assign id[WEST*FLIT+:FLIT] = '0;
        assign oc[WEST] = 1'b0;
        assign unused = &{ic[WEST], ov[WEST], od[WEST*FLIT+:FLIT]};
      end else begin : west
        assign iv[WEST] = row[j].column[i-1].ov[EAST];
        assign id[WEST*FLIT+:FLIT] = row[j].column[i-1].od[EAST*FLIT+:FLIT];
        assign oc[WEST] = row[j].column[i-1].ic[EAST];
      end
      if (i == WIDTH - 1) begin : east_end
        logic unused;
        assign iv[EAST] = 1'b0;
        assign id[EAST*FLIT+:FLIT] = '0;
        assign oc[EAST] = 1'b0;
        assign unused = &{ic[EAST], ov[EAST], od[EAST*FLIT+:FLIT]};
      end else begin : east
        assign iv[EAST] = row[j].column[i+1].ov[WEST];
        assign id[EAST*FLIT+:FLIT] = row[j].column[i+1].od[WEST*FLIT+:FLIT];
        assign oc[EAST] = row[j].column[i+1].ic[WEST];
      end
      if (j == 0) begin : north_end
        logic unused;
        assign iv[NORTH] = 1'b0;
        assign id[NORTH*FLIT+:FLIT] = '0;
        assign oc[NORTH] = 1'b0;
        assign unused = &{ic[NORTH], ov[NORTH], od[NORTH*FLIT+:FLIT]};
      end else begin : north
        assign iv[NORTH] = row[j-1].column[i].ov[SOUTH];
        assign id[NORTH*FLIT+:FLIT] = row[j-1].column[i].od[SOUTH*FLIT+:FLIT];
        assign oc[NORTH] = row[j-1].column[i].ic[SOUTH];
      end
      if (j == HEIGHT - 1) begin : south_end
        logic unused;
        assign iv[SOUTH] = 1'b0;
        assign id[SOUTH*FLIT+:FLIT] = '0;
        assign oc[SOUTH] = 1'b0;
        assign unused = &{ic[SOUTH], ov[SOUTH], od[SOUTH*FLIT+:FLIT]};
      end else begin : south
        assign iv[SOUTH] = row[j+1].column[i].ov[NORTH];
        assign id[SOUTH*FLIT+:FLIT] = row[j+1].column[i].od[NORTH*FLIT+:FLIT];
        assign oc[SOUTH] = row[j+1].column[i].ic[NORTH];
      end
    end
  end
endmodule
