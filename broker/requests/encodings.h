// BringsEncodings: whether what a request wants to be kept has AMQP's own encodings in it: an
// AmqpForm, or an EncodedValue. Only folders of format 3 have them, so while a cluster has members
// that read no such rows the request is refused.
//
// A request that brings messages, properties or rules has a line here.
#pragma once

#include "broker/requests/request_list.h"

namespace wharf {

template <typename Request>
constexpr bool BringsEncodings(const Request&) {
  return false;
}
bool BringsEncodings(const SendRequest& request);
bool BringsEncodings(const UploadRequest& request);
bool BringsEncodings(const SettleRequest& request);
bool BringsEncodings(const SettleOneRequest& request);
bool BringsEncodings(const RunTransactionRequest& request);
bool BringsEncodings(const AddToTransactionRequest& request);
bool BringsEncodings(const CreateEntityRequest& request);
bool BringsEncodings(const AddRuleRequest& request);

}  // namespace wharf
