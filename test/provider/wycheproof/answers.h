// What a cipher or a MAC makes of a case of Wycheproof. std::nullopt: it refuses the case.
#ifndef GPUCTR_TEST_PROVIDER_WYCHEPROOF_ANSWERS_H
#define GPUCTR_TEST_PROVIDER_WYCHEPROOF_ANSWERS_H

#include <optional>

#include "test/provider/support.h"
#include "test/provider/wycheproof/file.h"

namespace gpuctr::test::wycheproof {

using Answer = std::optional<Bytes>;

// Both ways of a case. `seal` returns ciphertext and tag of c.msg, `open` the message of c.ct and
// c.tag. `name` is an algorithm's name, as "AES-128-GCM".
struct Kind {
  Answer (*seal)(const Library& library, const std::string& name, const Case& c);
  Answer (*open)(const Library& library, const std::string& name, const Case& c);
};

extern const Kind kAead;   // GCM, CCM, GCM-SIV
extern const Kind kBlock;  // EVP's other modes: CBC with padding, key wrap
extern const Kind kXts;    // IVs are numbers of data units, the lowest byte first
extern const Kind kCmac;   // OpenSSL's CMAC over our CBC: `name` is the cipher's
extern const Kind kGmac;   // OpenSSL's GMAC over our GCM: `name` is the cipher's

}  // namespace gpuctr::test::wycheproof

#endif
