// One form of GHASH, of the header GPUCTR_PROVE_FORM, under the compiler's options of that form.
#include GPUCTR_PROVE_FORM

namespace gpuctr::prove {
extern const GhashOps kForm;
const GhashOps kForm = {kPowers, expand,   begin,       grow,         update,
                        polyval, multiply, expand_rows, multiply_rows};
}  // namespace gpuctr::prove
