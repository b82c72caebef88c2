// Counter mode on a mesh of elements: WIDTH x HEIGHT nodes, the links between them, and HOSTS ports
// at the west edge. Port h is at the first row of band h of HEIGHT / HOSTS rows, and may give jobs
// to the elements of its band: router.sv says why no others.
//
// The system is that of S. Najjar-Ghabel, S. Yousefi, M. Zolfy Lighvan, "A high speed
// implementation counter mode cryptography using hardware parallelism" (a 2 x 2 mesh with XY
// routing, N/4 blocks a core), with dedicated elements in place of processors. Packets: README.md.
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
  localparam int FLIT = mesh_pkg::FLIT;
  localparam int BAND = HEIGHT / HOSTS;

  // Links by direction, with those at the edges: along rows, link j * (WIDTH + 1) + i is west of
  // node (i, j); along columns, link j * WIDTH + i is north of it. Credits are those for flits of
  // that direction.
  localparam int ROWS = HEIGHT * (WIDTH + 1);
  localparam int COLUMNS = (HEIGHT + 1) * WIDTH;
  logic [ROWS-1:0] east_valid, east_credit, west_valid, west_credit;
  logic [ROWS*FLIT-1:0] east_flit, west_flit;
  logic [COLUMNS-1:0] north_valid, north_credit, south_valid, south_credit;
  logic [COLUMNS*FLIT-1:0] north_flit, south_flit;

  for (genvar j = 0; j < HEIGHT; j++) begin : row
    for (genvar i = 0; i < WIDTH; i++) begin : column
      localparam int W = j * (WIDTH + 1) + i;
      localparam int E = W + 1;
      localparam int N = j * WIDTH + i;
      localparam int S = N + WIDTH;
      node #(
          .DEPTH(DEPTH),
          .ELEMENT(ELEMENT)
      ) place (
          .clk,
          .rst,
          .x(4'(i + 1)),
          .y(4'(j)),
          .in_valid  ({east_valid[W], north_valid[S], west_valid[E], south_valid[N]}),
          .in_flit   ({east_flit[W*FLIT+:FLIT], north_flit[S*FLIT+:FLIT],
                       west_flit[E*FLIT+:FLIT], south_flit[N*FLIT+:FLIT]}),
          .in_credit ({east_credit[W], north_credit[S], west_credit[E], south_credit[N]}),
          .out_valid ({west_valid[W], south_valid[S], east_valid[E], north_valid[N]}),
          .out_flit  ({west_flit[W*FLIT+:FLIT], south_flit[S*FLIT+:FLIT],
                       east_flit[E*FLIT+:FLIT], north_flit[N*FLIT+:FLIT]}),
          .out_credit({west_credit[W], south_credit[S], east_credit[E], north_credit[N]})
      );
    end
  end

  // The edges: hosts at the west end of some rows, and nothing else.
  for (genvar j = 0; j < HEIGHT; j++) begin : row_ends
    localparam int W = j * (WIDTH + 1);
    localparam int E = W + WIDTH;
    logic unused;
    if (j % BAND == 0 && j / BAND < HOSTS) begin : host
      localparam int H = j / BAND;
      assign east_valid[W] = in_valid[H];
      assign east_flit[W*FLIT+:FLIT] = in_flit[H*FLIT+:FLIT];
      assign in_credit[H] = east_credit[W];
      assign out_valid[H] = west_valid[W];
      assign out_flit[H*FLIT+:FLIT] = west_flit[W*FLIT+:FLIT];
      assign west_credit[W] = out_credit[H];
    end else begin : none
      logic unused_west;
      assign east_valid[W] = 1'b0;
      assign east_flit[W*FLIT+:FLIT] = '0;
      assign west_credit[W] = 1'b0;
      assign unused_west = &{east_credit[W], west_valid[W], west_flit[W*FLIT+:FLIT]};
    end
    assign west_valid[E] = 1'b0;
    assign west_flit[E*FLIT+:FLIT] = '0;
    assign east_credit[E] = 1'b0;
    assign unused = &{west_credit[E], east_valid[E], east_flit[E*FLIT+:FLIT]};
  end
  for (genvar i = 0; i < WIDTH; i++) begin : column_ends
    localparam int S = HEIGHT * WIDTH + i;
    logic unused;
    assign south_valid[i] = 1'b0;
    assign south_flit[i*FLIT+:FLIT] = '0;
    assign north_credit[i] = 1'b0;
    assign north_valid[S] = 1'b0;
    assign north_flit[S*FLIT+:FLIT] = '0;
    assign south_credit[S] = 1'b0;
    assign unused = &{south_credit[i], north_valid[i], north_flit[i*FLIT+:FLIT],
                      north_credit[S], south_valid[S], south_flit[S*FLIT+:FLIT]};
  end
endmodule
