#include "tests/engine/workers/memory_calls.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> calls = 0;

}  // namespace

namespace wharf {

std::size_t MemoryCalls() { return calls; }

}  // namespace wharf

void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  ++calls;
  return std::malloc(size == 0 ? 1 : size);
}

void* operator new(std::size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept {
  ++calls;
  std::free(memory);
}

void operator delete(void* memory, std::size_t /*size*/) noexcept { operator delete(memory); }
