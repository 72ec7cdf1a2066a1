#include "storage/base/this_thread.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace wharf {
namespace {

constexpr std::size_t kNameLettersMax = 15;
constexpr int kLowNice = 5;
constexpr std::uint64_t kLowSliceNanos = 100'000;
constexpr std::uint64_t kKeepPolicy = 0x08;  // SCHED_FLAG_KEEP_POLICY of <linux/sched.h>.

// As the kernel has it (sched_setattr(2)); its own header does not go together with <sched.h>.
struct SchedAttributes {
  std::uint32_t size = sizeof(SchedAttributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = kKeepPolicy;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

}  // namespace

void NameThisThread(const char* name) {
  assert(std::strlen(name) <= kNameLettersMax);
  [[maybe_unused]] const int named = ::pthread_setname_np(::pthread_self(), name);
  assert(named == 0);
}

void RankThisThreadLow() {
  const auto self = static_cast<id_t>(::gettid());
  const int nice = ::getpriority(PRIO_PROCESS, self);
  // Who started the daemon may have ranked it lower as a whole already.
  if (nice < kLowNice) ::setpriority(PRIO_PROCESS, self, kLowNice);
  // Who wakes up waits for the end of a slice; the usual one is some milliseconds. Linux has had a
  // slice for each thread since 6.12, and before that does not look at this.
  const SchedAttributes attributes{.nice = std::max(nice, kLowNice), .runtime = kLowSliceNanos};
  ::syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace wharf
