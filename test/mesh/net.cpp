#include "test/mesh/net.h"

#include <verilated.h>
#if VM_COVERAGE
#include <verilated_cov.h>
#endif
#if VM_TRACE
#include <verilated_vcd_c.h>
#endif

#include <vector>

#include "Vdut.h"

namespace mesh {
namespace {

enum Side : unsigned { kLocal, kNorth, kEast, kSouth, kWest };
constexpr unsigned kOpposite[5] = {kLocal, kSouth, kWest, kNorth, kEast};

#if defined(MESH_TOP_mesh)
constexpr bool kWired = false;
constexpr unsigned kFirst = 0;
#elif defined(MESH_TOP_node)
constexpr bool kWired = true;
constexpr unsigned kFirst = kNorth;  // its vectors begin there
#else
constexpr bool kWired = true;
constexpr unsigned kFirst = kLocal;
#endif

bool bit(std::uint64_t bits, unsigned at) { return (bits >> (at - kFirst) & 1) != 0; }

template <class T>
void set(T& bits, unsigned at) {
  bits = static_cast<T>(bits | T{1} << (at - kFirst));
}

struct Place {
  std::unique_ptr<Vdut> dut;
  int neighbour[5];  // place behind each side, or -1
};
struct Seat {
  unsigned place, side;
};

}  // namespace

const Built kBuilt = {MESH_ELEMENT, MESH_WIDTH, MESH_HEIGHT, MESH_HOSTS};

struct Net::Design {
  void link();
  void dump();
  std::uint64_t clocks = 0;
  VerilatedContext context;
  std::vector<Place> places;
  std::vector<Seat> seats;  // of each port
#if VM_TRACE
  std::unique_ptr<VerilatedVcdC> trace;
#endif
};

Net::Net(unsigned width, unsigned height, unsigned ports, std::uint64_t seed)
    : design_(std::make_unique<Design>()) {
  auto& context = design_->context;
  auto& places = design_->places;
  auto& seats = design_->seats;
  context.randReset(2);
  context.randSeed(static_cast<int>(seed & 0x7fffffff) | 1);
#if VM_TRACE
  context.traceEverOn(true);
#endif
  places.resize(kWired ? width * height : 1);
  for (unsigned n = 0; n < places.size(); ++n) {
    const unsigned x = n % width, y = n / width;
    Place& place = places[n];
    const std::string name =
        kWired ? "at_" + std::to_string(x + 1) + "_" + std::to_string(y) : "mesh";
    place.dut = std::make_unique<Vdut>(&context, name.c_str());
    const int at = static_cast<int>(n), row = static_cast<int>(width);
    const int beside[5] = {-1, y > 0 ? at - row : -1, x + 1 < width ? at + 1 : -1,
                           y + 1 < height ? at + row : -1, x > 0 ? at - 1 : -1};
    for (unsigned side = 0; side < 5; ++side) place.neighbour[side] = beside[side];
#ifndef MESH_TOP_mesh
    place.dut->x = static_cast<unsigned char>(x + 1);
    place.dut->y = static_cast<unsigned char>(y);
#endif
  }
  if (kWired) {
    for (unsigned y = 0; y < height; ++y) seats.push_back({y * width, kWest});
    if (kFirst == kLocal) {
      for (unsigned n = 0; n < width * height; ++n) seats.push_back({n, kLocal});
    }
  } else {
    for (unsigned h = 0; h < ports; ++h) seats.push_back({0, h});
  }
  for (Place& place : places) {
    place.dut->clk = 0;
    place.dut->rst = 1;
  }
  for (int i = 0; i < 4; ++i) tick();
  for (Place& place : places) place.dut->rst = 0;
  design_->clocks = 0;
}

Net::~Net() {
  for (Place& place : design_->places) place.dut->final();
#if VM_TRACE
  if (design_->trace) design_->trace->close();
#endif
}

bool Net::out(unsigned port, Flit& flit) const {
  const Seat& seat = design_->seats[port];
  const Vdut& dut = *design_->places[seat.place].dut;
  if (!bit(dut.out_valid, seat.side)) return false;
  flit = get_flit(dut.out_flit, seat.side - kFirst);
  return true;
}

bool Net::credit(unsigned port) const {
  return bit(design_->places[design_->seats[port].place].dut->in_credit, design_->seats[port].side);
}

void Net::in(unsigned port, const Flit& flit) {
  Vdut& dut = *design_->places[design_->seats[port].place].dut;
  set(dut.in_valid, design_->seats[port].side);
  put_flit(dut.in_flit, design_->seats[port].side - kFirst, flit);
}

void Net::give_credit(unsigned port) {
  set(design_->places[design_->seats[port].place].dut->out_credit, design_->seats[port].side);
}

unsigned Net::ports() const { return static_cast<unsigned>(design_->seats.size()); }

std::uint64_t Net::clocks() const { return design_->clocks; }

void Net::Design::link() {
  for (Place& place : places) {
    for (unsigned side = kNorth; side <= kWest; ++side) {
      if (place.neighbour[side] < 0) continue;
      const Vdut& from = *places[static_cast<unsigned>(place.neighbour[side])].dut;
      const unsigned theirs = kOpposite[side];
      if (bit(from.in_credit, theirs)) set(place.dut->out_credit, side);
      if (bit(from.out_valid, theirs)) {
        set(place.dut->in_valid, side);
        put_flit(place.dut->in_flit, side - kFirst, get_flit(from.out_flit, theirs - kFirst));
      }
    }
  }
}

void Net::tick() {
  if (kWired) design_->link();
  for (int level = 1; level >= 0; --level) {
    for (Place& place : design_->places) {
      place.dut->clk = static_cast<unsigned char>(level);
      place.dut->eval();
    }
    design_->dump();
  }
  for (Place& place : design_->places) {
    place.dut->in_valid = 0;
    place.dut->out_credit = 0;
  }
  ++design_->clocks;
}

bool Net::open_waveform(const std::string& file) {
#if VM_TRACE
  design_->trace = std::make_unique<VerilatedVcdC>();
  for (Place& place : design_->places) place.dut->trace(design_->trace.get(), 99);
  design_->trace->open(file.c_str());
  return true;
#else
  (void)file;
  return false;
#endif
}

bool Net::has_waveform() const {
#if VM_TRACE
  return design_->trace != nullptr;
#else
  return false;
#endif
}

void Net::write_coverage(const std::string& file) {
#if VM_COVERAGE
  design_->context.coveragep()->write(file.c_str());
#else
  (void)file;
#endif
}

void Net::Design::dump() {
#if VM_TRACE
  context.timeInc(5);
  if (trace) trace->dump(context.time());
#endif
}

}  // namespace mesh
