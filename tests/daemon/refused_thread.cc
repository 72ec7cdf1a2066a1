// refused_thread: a system that has no thread left when a listener begins, for a daemon that runs
// with LD_PRELOAD of this library.
//
// Who calls listen() as often as WHARF_REFUSED_THREAD says is refused the next thread that it
// begins; all others get theirs.

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include <dlfcn.h>
#include <pthread.h>

namespace {

std::atomic<int> listened = 0;
thread_local bool is_refused = false;

template <typename Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int listen(int socket, int backlog) noexcept {
  const char* which = std::getenv("WHARF_REFUSED_THREAD");
  if (which != nullptr && ++listened == std::atoi(which)) is_refused = true;
  return Real<int(int, int)>("listen")(socket, backlog);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) noexcept {
  if (is_refused) {
    is_refused = false;
    return EAGAIN;
  }
  return Real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create")(
      thread, attributes, run, argument);
}

}  // extern "C"
