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

#include <cstdint>
#include <memory>
#include <string>

#include "test/mesh/flit.h"

namespace mesh {

// What the design was built for. The size is that of a mesh, and a default otherwise.
struct Built {
  unsigned element, width, height, hosts;
};
extern const Built kBuilt;

class Net {
 public:
  // Every register begins with a value of `seed`'s: what works does not rest on a value without a
  // reset.
  Net(unsigned width, unsigned height, unsigned ports, std::uint64_t seed);
  ~Net();
  Net(const Net&) = delete;
  Net& operator=(const Net&) = delete;

  // Host ports first (all rows' of routers and nodes; the mesh's own), then a router's local ports.
  unsigned ports() const;

  // What the port gives in this clock.
  bool out(unsigned port, Flit& flit) const;
  bool credit(unsigned port) const;  // a place in its buffer has become free
  // What it is given; forgotten after the clock.
  void in(unsigned port, const Flit& flit);
  void give_credit(unsigned port);

  void tick();
  std::uint64_t clocks() const;

  // From the next clock on; false where the design was built without.
  bool open_waveform(const std::string& file);
  bool has_waveform() const;
  void write_coverage(const std::string& file);

 private:
  struct Design;  // Verilator's classes, which only net.cpp knows
  std::unique_ptr<Design> design_;
};

}  // namespace mesh

#endif
