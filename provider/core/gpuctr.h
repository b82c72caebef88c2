/* The names of gpuctr's parameters for many messages in one call: gpuctr(7), "Many messages". Set
 * them on a context of CTR, GCM, CCM, CBC or XTS. The arrays are octet pointers
 * (OSSL_PARAM_construct_octet_ptr) with their size in bytes; they must stay valid until they are
 * replaced or the context is freed. Numbers are unsigned, in host byte order, and aligned. */
#ifndef GPUCTR_H
#define GPUCTR_H

#define GPUCTR_PARAM_BATCH_MESSAGES "batch-messages"       /* N, an integer; 0: no batches */
#define GPUCTR_PARAM_BATCH_KEYS "batch-keys"               /* N keys, or a table of keys */
#define GPUCTR_PARAM_BATCH_KEY_INDEX "batch-key-index"     /* N 32-bit numbers of keys */
#define GPUCTR_PARAM_BATCH_IVS "batch-ivs"                 /* N IVs */
#define GPUCTR_PARAM_BATCH_LENGTHS "batch-lengths"         /* N 32-bit lengths */
#define GPUCTR_PARAM_BATCH_OFFSETS "batch-offsets"         /* N 64-bit offsets */
#define GPUCTR_PARAM_BATCH_AAD "batch-aad"                 /* the associated data of all */
#define GPUCTR_PARAM_BATCH_AAD_LENGTHS "batch-aad-lengths" /* one 32-bit length, or N */
#define GPUCTR_PARAM_BATCH_TAGS "batch-tags"               /* N tags */
#define GPUCTR_PARAM_BATCH_RESULTS "batch-results"         /* N bytes: 1 good, 0 wrong tag */

#endif
