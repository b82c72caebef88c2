#include "test/mesh/net.h"

#if VM_COVERAGE
#include <verilated_cov.h>
#endif

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

}  // namespace

Net::Net(unsigned width, unsigned height, unsigned ports, std::uint64_t seed)
    : width_(width),
      height_(height),
      ports_(ports),
      context_(std::make_unique<VerilatedContext>()) {
  context_->randReset(2);
  context_->randSeed(static_cast<int>(seed & 0x7fffffff) | 1);
#if VM_TRACE
  context_->traceEverOn(true);
#endif
  places_.resize(kWired ? width * height : 1);
  for (unsigned n = 0; n < places_.size(); ++n) {
    const unsigned x = n % width, y = n / width;
    Place& place = places_[n];
    const std::string name =
        kWired ? "at_" + std::to_string(x + 1) + "_" + std::to_string(y) : "mesh";
    place.dut = std::make_unique<Vdut>(context_.get(), name.c_str());
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
    for (unsigned y = 0; y < height; ++y) seats_.push_back({y * width, kWest});
    if (kFirst == kLocal) {
      for (unsigned n = 0; n < width * height; ++n) seats_.push_back({n, kLocal});
    }
    ports_ = static_cast<unsigned>(seats_.size());
  } else {
    for (unsigned h = 0; h < ports; ++h) seats_.push_back({0, h});
  }
  for (Place& place : places_) {
    place.dut->clk = 0;
    place.dut->rst = 1;
  }
  for (int i = 0; i < 4; ++i) tick();
  for (Place& place : places_) place.dut->rst = 0;
  clocks_ = 0;
}

Net::~Net() {
  for (Place& place : places_) place.dut->final();
#if VM_TRACE
  if (trace_) trace_->close();
#endif
}

bool Net::out(unsigned port, Flit& flit) const {
  const Seat& seat = seats_[port];
  const Vdut& dut = *places_[seat.place].dut;
  if (!bit(dut.out_valid, seat.side)) return false;
  flit = get_flit(dut.out_flit, seat.side - kFirst);
  return true;
}

bool Net::credit(unsigned port) const {
  return bit(places_[seats_[port].place].dut->in_credit, seats_[port].side);
}

void Net::in(unsigned port, const Flit& flit) {
  Vdut& dut = *places_[seats_[port].place].dut;
  set(dut.in_valid, seats_[port].side);
  put_flit(dut.in_flit, seats_[port].side - kFirst, flit);
}

void Net::give_credit(unsigned port) {
  set(places_[seats_[port].place].dut->out_credit, seats_[port].side);
}

void Net::link() {
  for (Place& place : places_) {
    for (unsigned side = kNorth; side <= kWest; ++side) {
      if (place.neighbour[side] < 0) continue;
      const Vdut& from = *places_[static_cast<unsigned>(place.neighbour[side])].dut;
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
  if (kWired) link();
  for (int level = 1; level >= 0; --level) {
    for (Place& place : places_) {
      place.dut->clk = static_cast<unsigned char>(level);
      place.dut->eval();
    }
    dump();
  }
  for (Place& place : places_) {
    place.dut->in_valid = 0;
    place.dut->out_credit = 0;
  }
  ++clocks_;
}

bool Net::open_waveform(const std::string& file) {
#if VM_TRACE
  trace_ = std::make_unique<VerilatedVcdC>();
  for (Place& place : places_) place.dut->trace(trace_.get(), 99);
  trace_->open(file.c_str());
  return true;
#else
  (void)file;
  return false;
#endif
}

bool Net::has_waveform() const {
#if VM_TRACE
  return trace_ != nullptr;
#else
  return false;
#endif
}

void Net::write_coverage(const std::string& file) {
#if VM_COVERAGE
  context_->coveragep()->write(file.c_str());
#else
  (void)file;
#endif
}

void Net::dump() {
#if VM_TRACE
  context_->timeInc(5);
  if (trace_) trace_->dump(context_->time());
#endif
}

}  // namespace mesh
