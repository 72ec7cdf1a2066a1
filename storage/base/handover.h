// HandOver, TakeOver: an object goes from one thread to another by way of a library that the thread
// sanitizer cannot look into.
//
// gRPC of Debian is built without it. That a callback comes after the call was started, the
// sanitizer would have to see inside; so it takes the first touch of the object for a race. The
// giver says HandOver when the object is ready, before the call starts; the called side says
// TakeOver first of all. What the two do with it later is watched as ever. Nothing in other builds.
#pragma once

#ifdef WHARF_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace wharf {

#ifdef WHARF_THREAD_SANITIZER
inline void HandOver(void* object) { __tsan_release(object); }
inline void TakeOver(void* object) { __tsan_acquire(object); }
#else
inline void HandOver(void* /*object*/) {}
inline void TakeOver(void* /*object*/) {}
#endif

}  // namespace wharf
