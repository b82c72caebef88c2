#include "provider/core/core.h"

namespace gpuctr {

Core::Core(const OSSL_CORE_HANDLE* core_handle, const OSSL_DISPATCH* functions)
    : handle(core_handle) {
  for (const OSSL_DISPATCH* f = functions; f->function_id != 0; ++f) {
    switch (f->function_id) {
      case OSSL_FUNC_CORE_GET_PARAMS:
        get_params = OSSL_FUNC_core_get_params(f);
        break;
      case OSSL_FUNC_CORE_NEW_ERROR:
        new_error = OSSL_FUNC_core_new_error(f);
        break;
      case OSSL_FUNC_CORE_VSET_ERROR:
        vset_error = OSSL_FUNC_core_vset_error(f);
        break;
      case OSSL_FUNC_CORE_GET_LIBCTX:
        get_library = OSSL_FUNC_core_get_libctx(f);
        break;
      case OSSL_FUNC_SELF_TEST_CB:
        get_self_test_callback = OSSL_FUNC_self_test_cb(f);
        break;
      default:
        break;
    }
  }
}

}  // namespace gpuctr
