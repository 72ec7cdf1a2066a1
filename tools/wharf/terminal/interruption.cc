#include "tools/wharf/terminal/interruption.h"

#include <cstdint>

#include <sys/eventfd.h>
#include <unistd.h>

namespace wharf::tool {

Interruption::Interruption() : descriptor_(eventfd(0, EFD_CLOEXEC)) {}

Interruption::~Interruption() {
  if (descriptor_ >= 0) close(descriptor_);
}

void Interruption::Raise() {
  is_raised_ = true;
  constexpr std::uint64_t kOne = 1;
  [[maybe_unused]] const ssize_t written = write(descriptor_, &kOne, sizeof(kOne));
}

}  // namespace wharf::tool
