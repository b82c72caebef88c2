// The module's own `new (std::nothrow)`. libstdc++'s operator throws and catches an exception
// inside, and a throw allocates thread-local data. Without memory, this allocation ends the process
// ("cannot allocate memory for thread-local data: ABORT"). The operators here only return nullptr.
//
// Only the module uses these operators (module.map). The module has no throwing `new`: a container
// of the standard library would import one, and the test trust.module_imports would fail.
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

// aligned_alloc() requires a size that is a multiple of the alignment.
void* aligned(std::size_t size, std::align_val_t alignment) noexcept {
  const auto unit = static_cast<std::size_t>(alignment);
  if (size > SIZE_MAX - unit) return nullptr;
  return std::aligned_alloc(unit, (size + unit - 1) / unit * unit);
}

}  // namespace

void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size); }
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return aligned(size, alignment);
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return aligned(size, alignment);
}

void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }
