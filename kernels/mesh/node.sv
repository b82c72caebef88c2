// One place of the mesh: router, network interface, element. Sides are numbered as the router's
// ports, without the local one.
module node #(
    parameter int DEPTH = 4,
    parameter int ELEMENT = mesh_pkg::DES
) (
    input  logic                                                  clk,
    input  logic                                                  rst,
    input  logic [3:0]                                            x,
    input  logic [3:0]                                            y,
    input  logic [mesh_pkg::PORTS-1:1]                            in_valid,
    input  logic [mesh_pkg::PORTS*mesh_pkg::FLIT-1:mesh_pkg::FLIT] in_flit,
    output logic [mesh_pkg::PORTS-1:1]                            in_credit,
    output logic [mesh_pkg::PORTS-1:1]                            out_valid,
    output logic [mesh_pkg::PORTS*mesh_pkg::FLIT-1:mesh_pkg::FLIT] out_flit,
    input  logic [mesh_pkg::PORTS-1:1]                            out_credit
);
  localparam int FLIT = mesh_pkg::FLIT;
  localparam int WORD = mesh_pkg::WORD;

  logic to_valid, to_credit, from_valid, from_credit;  // to and from the network interface
  logic [FLIT-1:0] to_flit, from_flit;
  logic start, with_data, busy, data_valid, data_take, result_valid, result_ready;
  logic [127:0] key, counter;
  logic [19:0] first, count;
  logic [4:0] last_bytes;
  logic [WORD-1:0] data, result;

  router #(
      .DEPTH(DEPTH),
      .LOCAL_DEPTH(mesh_pkg::INTERFACE_DEPTH)
  ) crossing (
      .clk,
      .rst,
      .x,
      .y,
      .in_valid  ({in_valid, from_valid}),
      .in_flit   ({in_flit, from_flit}),
      .in_credit ({in_credit, from_credit}),
      .out_valid ({out_valid, to_valid}),
      .out_flit  ({out_flit, to_flit}),
      .out_credit({out_credit, to_credit})
  );
  network_interface #(
      .DEPTH(DEPTH),
      .KEY_WORDS(mesh_pkg::key_words(ELEMENT)),
      .BLOCK_WORDS(mesh_pkg::block_words(ELEMENT))
  ) port (
      .clk, .rst,
      .in_valid(to_valid), .in_flit(to_flit), .in_credit(to_credit),
      .out_valid(from_valid), .out_flit(from_flit), .out_credit(from_credit),
      .start, .key, .counter, .first, .count, .last_bytes, .with_data, .busy,
      .data_valid, .data, .data_take, .result_valid, .result, .result_ready
  );
  element #(
      .ELEMENT(ELEMENT)
  ) work (
      .clk, .rst,
      .start, .key, .counter, .first, .count, .last_bytes, .with_data, .busy,
      .data_valid, .data, .data_take, .result_valid, .result, .result_ready
  );
endmodule
