// What every part of the mesh has to agree on: flits, ports of a router, heads of packets,
// elements.
package mesh_pkg;
  localparam int WORD = 64;        // bits of payload in a flit
  localparam int FLIT = WORD + 2;  // {head, tail, payload}
  localparam int HEAD = WORD + 1;  // the flit begins a packet; its payload is a head_t
  localparam int TAIL = WORD;      // the flit ends a packet

  localparam int PORTS = 5;
  localparam int LOCAL = 0;
  localparam int NORTH = 1;
  localparam int EAST = 2;
  localparam int SOUTH = 3;
  localparam int WEST = 4;

  localparam int PACKET_WORDS = 16;    // the longest payload of a RESULT or DATA packet
  localparam int INTERFACE_DEPTH = 32; // flits that a network interface takes in: two such packets

  localparam logic [1:0] JOB = 2'd1;
  localparam logic [1:0] DATA = 2'd2;
  localparam logic [1:0] RESULT = 2'd3;

  // Columns of elements count from 1; column 0 is the host port at the west end of a row.
  typedef struct packed {
    logic [3:0]  spare;
    logic [3:0]  to_x;
    logic [3:0]  to_y;
    logic [3:0]  host_y;      // JOB: the row whose host port takes the results
    logic [1:0]  kind;
    logic        with_data;   // JOB: DATA packets follow, results are data XOR keystream
    logic [4:0]  last_bytes;  // bytes of the range's last block that count, 1 to a block
    logic [19:0] count;       // blocks in the range (JOB) or in this packet
    logic [19:0] first;       // index of the first of them, from the job's counter block on
  } head_t;

  localparam int DES = 0;
  localparam int DES_PIPELINED = 1;
  localparam int LEA128 = 2;
  localparam int HIGHT = 3;

  // Words of a key and of a block, for the job packet's layout.
  function automatic int key_words(input int element);
    key_words = (element == DES || element == DES_PIPELINED) ? 1 : 2;
  endfunction
  function automatic int block_words(input int element);
    block_words = (element == LEA128) ? 2 : 1;
  endfunction
endpackage
