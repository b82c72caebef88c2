// Many messages in one call, under keys of their own, on a CPU backend. The bytes are those of one
// message after the other. A backend's vectors hold blocks of different messages where that is
// faster (ManyOps); everywhere else CipherOps makes the messages one by one.
#ifndef GPUCTR_KERNELS_CPU_MANY_MANY_H
#define GPUCTR_KERNELS_CPU_MANY_MANY_H

#include "kernels/cpu/backend.h"
#include "kernels/cpu/base/many.h"

namespace gpuctr {

// Encrypts or decrypts `count` messages, any number. Decryption by GCM and CCM writes the text and
// the tag that it should have: the caller compares tags, and erases texts whose tag is wrong.
// GCM and CCM: only for blocks of 16 bytes. The caller has checked all lengths: whole blocks in
// CBC, and no text longer than the mode's or the counter's limit. Messages may differ in length;
// many messages of similar length are fastest. Thread-safe; cannot fail; constant time where the
// backend's CipherOps are; leaves no secret on the stack or in registers.
void run_many(const CipherSpec& spec, const Backend& backend, const ManyBatch& batch,
              const ManyText* texts, std::size_t count);

}  // namespace gpuctr

#endif
