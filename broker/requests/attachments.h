// Attachments: what a request opens and a door then goes on talking to: a receiver, an upload, a
// call that waits.
//
// Their verbs never fail and never wait; what is said to one that has ended is not heard. Verbs
// that come faster than the broker plans are added up: they cost one wake-up, and no memory. Any
// thread; of an upload, one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "broker/core/messages/message.h"
#include "broker/requests/delivery_sink.h"
#include "storage/base/status.h"

namespace wharf {

// A receiver, from when it asked to be attached: what is said before it is attached is done then.
// Must be detached, unless the broker ended it; letting go of it is not enough.
class ReceiverHandle {
 public:
  virtual ~ReceiverHandle() = default;
  virtual void Grant(const Credit& credit) = 0;
  virtual void Revoke(const Credit& credit) = 0;
  // Delivers what is there now and tells the credit thrown away.
  virtual void Drain() = 0;
  // No more deliveries; settlements go on.
  virtual void Stop() = 0;
  virtual void Detach() = 0;
  // The door has handed this much to its transport: deliveries that were not are bounded.
  virtual void NoteWritten(std::size_t messages, std::int64_t bytes) = 0;
  // A message with a large body was delivered without a lock, and nobody will read the body any
  // more. Must follow each such delivery.
  virtual void DropBody(const BodyRef& body) = 0;
};

// One message on its way in whose body comes in pieces. One that fails is answered once; what still
// comes of it is ignored. Letting go of it before the body is complete is no end: Fail is.
class UploadHandle {
 public:
  virtual ~UploadHandle() = default;
  // The next piece of the body, not beyond its end where that is known; how many rows of it went to
  // the store.
  virtual std::size_t Write(std::string bytes) = 0;
  // Of one that ends apart, when all of the body is written: the message as it is now, with what
  // stands behind the body (a footer), and still without it.
  virtual void End(Message message) = 0;
  // The rest of it will not come.
  virtual void Fail(Status reason) = 0;
  // Whether the answer has left: nothing that is written matters any more.
  virtual bool is_over() const = 0;
};

// A call that waits for messages, for a session, or for the end of an entity.
class WaitHandle {
 public:
  virtual ~WaitHandle() = default;
  // The wait ends as if its time were over, unless an answer is on its way already.
  virtual void Cancel() = 0;
};

}  // namespace wharf
