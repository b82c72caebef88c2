#include "test/prove/engine/tokens.h"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <unordered_map>

namespace gpuctr::traced {
namespace {

struct Atom {
  char kind;  // 'i'nput, 'u'nwritten, or a Way
  std::size_t block, byte;
};
struct Sum {
  std::uint8_t number;
  std::vector<std::uint32_t> atoms;  // in order, each once
  bool operator==(const Sum& other) const { return number == other.number && atoms == other.atoms; }
};

// FNV-1a over the elements.
template <class Numbers>
std::size_t hash(const Numbers& numbers, std::size_t first) {
  std::size_t h = first ^ 0xcbf29ce484222325;
  for (const auto number : numbers) h = (h ^ number) * 0x100000001b3;
  return h;
}
struct SumHash {
  std::size_t operator()(const Sum& sum) const { return hash(sum.atoms, sum.number); }
};
using Block = std::pair<Way, std::vector<Token>>;
struct BlockHash {
  std::size_t operator()(const Block& block) const {
    return hash(block.second, static_cast<std::size_t>(block.first));
  }
};

std::vector<Atom> atoms;
std::vector<Sum> sums;  // of tokens from 256 on
std::unordered_map<Sum, Token, SumHash> known;
std::unordered_map<std::uint64_t, Token> added;
std::unordered_map<Block, std::vector<Token>, BlockHash> blocks;
std::vector<std::vector<Token>> block_inputs;
std::vector<Token> inputs;
std::unordered_map<const void*, Token> holes;
std::unordered_map<const std::uint8_t*, Token> memory;
std::deque<std::vector<Token>> lists;
std::vector<std::vector<Token>> words;
constexpr std::uint64_t kTag = 0xa57e, kTagAt = 48;

Sum sum_of(Token token) {
  return token < 256 ? Sum{static_cast<std::uint8_t>(token), {}} : sums[token - 256];
}
Token token_of(Sum sum) {
  if (sum.atoms.empty()) return sum.number;
  const auto next = static_cast<Token>(256 + sums.size());
  const auto [at, is_new] = known.emplace(std::move(sum), next);
  if (is_new) sums.push_back(at->first);
  return at->second;
}
Token new_atom(char kind, std::size_t block, std::size_t byte) {
  atoms.push_back({kind, block, byte});
  return token_of({0, {static_cast<std::uint32_t>(atoms.size() - 1)}});
}

}  // namespace

void refuse(const char* what) { throw std::logic_error(what); }

void forget() {
  atoms.clear();
  sums.clear();
  known.clear();
  added.clear();
  blocks.clear();
  block_inputs.clear();
  inputs.clear();
  holes.clear();
  memory.clear();
  lists.clear();
  words.clear();
}

Token sum(Token a, Token b) {
  if (a < 256 && b < 256) return a ^ b;
  if (a == 0) return b;
  if (b == 0) return a;
  const auto [at, is_new] = added.emplace(std::uint64_t{a} << 32 | b, 0);
  if (is_new) {
    const Sum x = sum_of(a), y = sum_of(b);
    Sum made{static_cast<std::uint8_t>(x.number ^ y.number), {}};
    std::set_symmetric_difference(x.atoms.begin(), x.atoms.end(), y.atoms.begin(), y.atoms.end(),
                                  std::back_inserter(made.atoms));
    at->second = token_of(std::move(made));
  }
  return at->second;
}
Token input(std::size_t i) {
  while (inputs.size() <= i) inputs.push_back(new_atom('i', 0, inputs.size()));
  return inputs[i];
}
Token unwritten(const void* address) {
  const auto [at, is_new] = holes.emplace(address, 0);
  if (is_new) at->second = new_atom('u', 0, holes.size() - 1);
  return at->second;
}

std::vector<Token> permuted(Way way, const std::vector<Token>& block) {
  const auto [at, is_new] = blocks.emplace(std::make_pair(way, block), std::vector<Token>{});
  if (is_new) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      at->second.push_back(new_atom(static_cast<char>(way), block_inputs.size(), i));
    }
    block_inputs.push_back(block);
  }
  return at->second;
}

std::string text(Token token) {
  const Sum all = sum_of(token);
  std::string said;
  for (const std::uint32_t i : all.atoms) {
    const Atom& atom = atoms[i];
    if (!said.empty()) said += " ^ ";
    if (atom.kind == 'i' || atom.kind == 'u') {
      said += (atom.kind == 'i' ? "in[" : "unwritten[") + std::to_string(atom.byte) + "]";
      continue;
    }
    said += std::string(1, atom.kind) + "(";
    for (const Token one : block_inputs[atom.block]) {
      constexpr char kDigits[] = "0123456789abcdef";
      said += one < 256 ? std::string{kDigits[one / 16], kDigits[one % 16]} : text(one) + ' ';
    }
    said += ")[" + std::to_string(atom.byte) + "]";
  }
  return said.empty() || all.number != 0 ? said + " ^ " + std::to_string(all.number) : said;
}

Token read(const std::uint8_t* p) {
  const auto at = memory.find(p);
  return at == memory.end() ? unwritten(p) : at->second;
}
void write(std::uint8_t* p, Token token) { memory[p] = token; }

std::uint64_t list_of(std::vector<Token> tokens) {
  lists.push_back(std::move(tokens));
  return lists.size();
}
const std::vector<Token>& tokens_of(std::uint64_t list) {
  if (list == 0 || list > lists.size()) refuse("a vector without a value is read");
  return lists[list - 1];
}
std::uint64_t word_of(const std::vector<Token>& tokens) {
  std::uint64_t word = 0;
  bool numbers = true;
  for (unsigned i = 0; i < 8; ++i) {
    numbers = numbers && tokens[i] < 256;
    word |= std::uint64_t{tokens[i]} % 256 << (8 * i);
  }
  if (numbers && word >> kTagAt != kTag) return word;
  words.push_back(tokens);
  return kTag << kTagAt | (words.size() - 1);
}
std::vector<Token> tokens_of_word(std::uint64_t word) {
  if (word >> kTagAt == kTag) return words.at(word & 0xffffffffffff);
  std::vector<Token> tokens;
  for (unsigned i = 0; i < 8; ++i) tokens.push_back(word >> (8 * i) & 255);
  return tokens;
}

}  // namespace gpuctr::traced
