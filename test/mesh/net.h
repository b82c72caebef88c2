// The verilated design (its class is always Vdut) behind one interface for the tests: ports that
// flits and credits go through, one clock at a time. MESH_TOP says what Vdut is:
//   router, node   one place of the mesh; Net makes width x height of them and is the links between
//   them,
//                  so one short build serves every size
//   mesh           mesh.sv with its own links, at the size it was built for
// Outputs of the design depend on its registers alone, so all of them are read before any input is
// set.
#ifndef GPUCTR_TEST_MESH_NET_H
#define GPUCTR_TEST_MESH_NET_H

#include <verilated.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "Vdut.h"
#include "test/mesh/flit.h"

#if VM_TRACE
#include <verilated_vcd_c.h>
#else
class VerilatedVcdC;
#endif

namespace mesh {

class Net {
 public:
  // Every register begins with a value of `seed`'s: what works does not rest on a value without a
  // reset.
  Net(unsigned width, unsigned height, unsigned ports, std::uint64_t seed);
  ~Net();
  Net(const Net&) = delete;
  Net& operator=(const Net&) = delete;

  // Host ports first (all rows' of routers and nodes; the mesh's own), then a router's local ports.
  unsigned ports() const { return ports_; }

  // What the port gives in this clock.
  bool out(unsigned port, Flit& flit) const;
  bool credit(unsigned port) const;  // a place in its buffer has become free
  // What it is given; forgotten after the clock.
  void in(unsigned port, const Flit& flit);
  void give_credit(unsigned port);

  void tick();
  std::uint64_t clocks() const { return clocks_; }

  // From the next clock on; false where the design was built without.
  bool open_waveform(const std::string& file);
  bool has_waveform() const;
  void write_coverage(const std::string& file);

 private:
  struct Place {
    std::unique_ptr<Vdut> dut;
    int neighbour[5];  // place behind each side, or -1
  };
  struct Seat {
    unsigned place, side;
  };
  void link();
  void dump();

  unsigned width_, height_, ports_;
  std::uint64_t clocks_ = 0;
  std::unique_ptr<VerilatedContext> context_;
  std::vector<Place> places_;
  std::vector<Seat> seats_;  // of each port
#if VM_TRACE
  std::unique_ptr<VerilatedVcdC> trace_;
#endif
};

}  // namespace mesh

#endif
