#include "broker/doors/http/rest/large_source.h"

#include <algorithm>
#include <utility>

namespace wharf::rest {
namespace {

struct Progress {
  std::uint32_t next_chunk = 0;
  std::uint64_t bytes_left = 0;
};

// Half a message must not pass for one.
Result<std::string> Checked(Result<std::string> chunk, Progress& progress) {
  if (chunk.ok() && (chunk->empty() || chunk->size() > progress.bytes_left)) {
    return Status(ErrorCode::kGeneralError, "a chunk of a body has not the bytes that it should");
  }
  if (chunk.ok()) progress.bytes_left -= chunk->size();
  return chunk;
}

}  // namespace

// The door asks: what was delivered may be read to its end, whatever the caller may by now.
HttpSource SourceOf(ServiceBusCallPtr call, std::shared_ptr<const UnheardDelivery> unheard,
                    LaneId lane) {
  const BodyRef body = *unheard->delivered().message->facts.body_ref;
  auto progress = std::make_shared<Progress>(Progress{.bytes_left = body.size});
  return
      [call = std::move(call), unheard = std::move(unheard), progress, body, lane](HttpGive give) {
        if (progress->bytes_left == 0) return std::move(give)(std::string());
        Caller caller = DoorItself(call->request().caller);
        caller.patience.reset();
        call->requests().Ask(
            std::move(caller),
            ReadBodyChunkRequest{body, progress->next_chunk++, lane, unheard->delivered().token},
            [progress, give = std::move(give)](Result<std::string> chunk) mutable {
              std::move(give)(Checked(std::move(chunk), *progress));
            });
      };
}

}  // namespace wharf::rest
