#include "storage/base/this_thread.h"

#include <cassert>
#include <cstddef>
#include <cstring>

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace wharf {
namespace {

constexpr std::size_t kNameLettersMax = 15;
constexpr int kLowNice = 5;

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
}

}  // namespace wharf
