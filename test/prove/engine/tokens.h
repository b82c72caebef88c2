// Bytes that say where they come from. A byte is a sum (XOR) of a number and of atoms: byte i of
// the input, byte i of the encrypted or decrypted block b, a byte of memory that nobody has
// written. Equal sums are the same token, so a comparison of tokens holds for every input and for
// every cipher.
#ifndef GPUCTR_TEST_PROVE_ENGINE_TOKENS_H
#define GPUCTR_TEST_PROVE_ENGINE_TOKENS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gpuctr::traced {

// Below 256: that number.
using Token = std::uint32_t;

// Makes all tokens, vectors and memory unknown again.
void forget();

Token sum(Token a, Token b);
Token input(std::size_t i);
Token unwritten(const void* address);
// The bytes of the block that an unknown permutation, or its inverse, makes of this block.
enum class Way : char { kEncrypts = 'E', kDecrypts = 'D' };
std::vector<Token> permuted(Way way, const std::vector<Token>& block);
std::string text(Token token);

// Memory; unwritten at first.
Token read(const std::uint8_t* p);
void write(std::uint8_t* p, Token token);

// A vector of the engine is a number that stands for a list of tokens, in no more bytes than the
// vector has.
std::uint64_t list_of(std::vector<Token> tokens);
const std::vector<Token>& tokens_of(std::uint64_t list);

// A word of 8 bytes that holds tokens: its number if all are numbers, else a number that stands for
// them.
std::uint64_t word_of(const std::vector<Token>& tokens);
std::vector<Token> tokens_of_word(std::uint64_t word);

// The engine has done something with data that it must not, such as a sum or a comparison.
[[noreturn]] void refuse(const char* what);

}  // namespace gpuctr::traced

#endif
