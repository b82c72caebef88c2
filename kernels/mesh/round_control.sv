// Control of an element that does one round a clock. A block is loaded in one clock and goes
// through ROUNDS more; the result of the last goes to a register of its own while the next block is
// loaded, so blocks follow one another every ROUNDS clocks.
//
// The last round waits until that register is empty, and does not look whether it is being emptied.
// So `load`, `step` and `finish`, which enable all registers of a block, are functions of a few
// registers, and the handshake of a result is out of their way.
module round_control #(
    parameter int ROUNDS = 16
) (
    input  logic                      clk,
    input  logic                      rst,
    input  logic                      in_valid,
    output logic                      in_ready,
    output logic                      out_valid,
    input  logic                      out_ready,
    output logic                      load,    // take the block that comes in
    output logic                      step,    // do round `round`
    output logic                      finish,  // that round is the last: its result is the block's
    output logic [$clog2(ROUNDS)-1:0] round
);
  localparam int BITS = $clog2(ROUNDS);
  logic busy, last;

  assign step = busy && !(last && out_valid);
  assign finish = step && last;
  assign in_ready = !busy || finish;
  assign load = in_valid && in_ready;

  always_ff @(posedge clk) begin
    if (rst) begin
      busy      <= 1'b0;
      out_valid <= 1'b0;
    end else begin
      busy      <= load || (busy && !finish);
      out_valid <= finish || (out_valid && !out_ready);
    end
    if (load) begin
      round <= '0;
      last  <= 1'b0;
    end else if (step) begin
      round <= round + 1'b1;
      last  <= round == BITS'(ROUNDS - 2);
    end
  end
endmodule
