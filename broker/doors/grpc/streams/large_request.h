// LargeRequest: the large message that a SendStream is reading: its header, and where its chunks
// go.
//
// However it ends, its receipt is given once; chunks that come after that are skipped. Used by its
// stream on the thread that reads.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <wharf/v1/messaging.pb.h>

#include "broker/doors/grpc/streams/chunk_sequence.h"
#include "broker/requests/requests.h"

namespace wharf {

class LargeRequest {
 public:
  // `row_stored` as of Requests::Upload.
  LargeRequest(Requests& requests, Caller caller, v1::LargeMessageHeader& header,
               std::function<void()> row_stored, Answer<SendOutcome> receipt);

  // The next chunk; how many rows of the body went to the store with it.
  std::size_t Add(std::string chunk);
  // All chunks came: another one would belong to no header.
  bool is_complete() const { return upload_ != nullptr && chunks_.is_complete(); }
  // Something else came, or nothing will come any more.
  void End();
  // The rest will not be read, for this reason. Harmless if all of it came.
  void BreakOff(Status reason);

 private:
  void Fail(Status reason);

  ChunkSequence chunks_;
  // Null when what is left of the body is skipped.
  std::shared_ptr<UploadHandle> upload_;
};

}  // namespace wharf
