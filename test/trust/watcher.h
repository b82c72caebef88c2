// Who watches what is done with secrets: valgrind's memcheck (watcher_valgrind.cpp) or clang's
// MemorySanitizer (watcher_msan.cpp). Both know "undefined" memory, follow it through every
// operation, and report a branch or an address made from it.
#ifndef GPUCTR_TEST_TRUST_WATCHER_H
#define GPUCTR_TEST_TRUST_WATCHER_H

#include <cstddef>
#include <functional>

namespace gpuctr::watcher {

// Why a backend may be absent, and whether this one is watched by nobody else: a run that has none
// of those is skipped.
extern const char* const kAbsent;
bool only_here(const char* backend);

// Whether somebody watches this process.
bool present();

// Makes `size` bytes at `p` undefined; their values stay.
void hide(void* p, std::size_t size);

// Whether an undefined bit of a factor makes all higher bits of a product of integers undefined.
// MemorySanitizer takes those alone that stand where undefined ones stood.
extern const bool kFollowsProducts;

// How many of `size` bytes at `p` have an undefined bit.
std::size_t hidden(const void* p, std::size_t size);

// How often an undefined bit decided something while `work` ran. MemorySanitizer stops at the
// first: 0 or 1, and what `work` writes is lost, as it runs in a child.
// One that is `planted` goes without a report, which takes MemorySanitizer a second.
unsigned long leaks(const std::function<void()>& work, bool planted = false);

}  // namespace gpuctr::watcher

#endif
