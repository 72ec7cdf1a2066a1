#include "tests/daemon/leadership_clients.h"

#include <algorithm>
#include <utility>

#include <wharf/v1/sessions.grpc.pb.h>

namespace wharf {
namespace {

constexpr int kMinuteSeconds = 60;
constexpr std::int64_t kUploadBytes = 8 << 20;
constexpr std::size_t kChunkBytes = 256 << 10;

using Stub = v1::Messaging::Stub;
using ReceiverStream =
    grpc::ClientReaderWriter<v1::ReceiveStreamRequest, v1::ReceiveStreamResponse>;

grpc::Status Send(Stub& stub, grpc::ClientContext& context, const std::string& queue) {
  v1::SendRequest request;
  request.set_entity_path(queue);
  request.add_messages()->set_body("body");
  v1::SendResponse response;
  return stub.Send(&context, request, &response);
}

grpc::Status WaitForAMessage(Stub& stub, grpc::ClientContext& context) {
  v1::ReceiveRequest request;
  request.set_entity_path("empty");
  request.mutable_max_wait()->set_seconds(kMinuteSeconds);
  v1::ReceiveResponse response;
  return stub.Receive(&context, request, &response);
}

grpc::Status WaitForASession(const std::shared_ptr<grpc::Channel>& channel,
                             grpc::ClientContext& context) {
  v1::AcceptSessionRequest request;
  request.set_entity_path("sessions");
  request.mutable_max_wait()->set_seconds(kMinuteSeconds);
  v1::AcceptedSession response;
  return v1::Sessions::NewStub(channel)->AcceptSession(&context, request, &response);
}

// Says nothing, and waits to be told.
grpc::Status StandIdle(Stub& stub, grpc::ClientContext& context) {
  const auto stream = stub.SendStream(&context);
  v1::SendStreamResponse response;
  while (stream->Read(&response)) continue;
  return stream->Finish();
}

// Begins a large message, and does not go on.
grpc::Status BeginUpload(Stub& stub, grpc::ClientContext& context) {
  const auto stream = stub.SendStream(&context);
  v1::SendStreamRequest header;
  header.mutable_header()->set_entity_path("work");
  header.mutable_header()->mutable_message();
  header.mutable_header()->set_body_size(kUploadBytes);
  stream->Write(header);
  v1::SendStreamRequest chunk;
  chunk.mutable_chunk()->set_data(std::string(kChunkBytes, 'x'));
  stream->Write(chunk);
  v1::SendStreamResponse response;
  while (stream->Read(&response)) continue;
  return stream->Finish();
}

void CompleteAll(const v1::Deliveries& deliveries, ReceiverStream& stream) {
  v1::ReceiveStreamRequest request;
  v1::Settlement& settlement = *request.mutable_settle()->mutable_settlement();
  settlement.mutable_complete();
  for (const v1::ReceivedMessage& message : deliveries.messages()) {
    settlement.add_lock_tokens(message.lock_token());
  }
  stream.Write(request);
}

v1::ReceiveStart ReceiverOf(const std::string& queue) {
  v1::ReceiveStart start;
  start.set_entity_path(queue);
  start.set_mode(v1::RECEIVE_MODE_PEEK_LOCK);
  return start;
}

grpc::Status Receive(Stub& stub, grpc::ClientContext& context, const v1::ReceiveStart& begin) {
  const auto stream = stub.ReceiveStream(&context);
  v1::ReceiveStreamRequest start;
  *start.mutable_start() = begin;
  stream->Write(start);
  v1::ReceiveStreamRequest grant;
  grant.mutable_grant()->set_messages(1'000'000);
  grant.mutable_grant()->set_bytes(1 << 30);
  stream->Write(grant);
  v1::ReceiveStreamResponse response;
  while (stream->Read(&response)) {
    const bool is_locked = begin.mode() == v1::RECEIVE_MODE_PEEK_LOCK;
    if (response.has_deliveries() && is_locked) CompleteAll(response.deliveries(), *stream);
  }
  return stream->Finish();
}

}  // namespace

LeadershipClients::LeadershipClients(std::string address, std::vector<std::string> reasons)
    : address_(std::move(address)), reasons_(std::move(reasons)) {}

LeadershipClients::~LeadershipClients() { Stop(); }

void LeadershipClients::Start() {
  Add("send", [this](const Channel& channel, grpc::ClientContext& context) {
    const grpc::Status sent = Send(*v1::Messaging::NewStub(channel), context, "orders");
    if (sent.ok()) ++acknowledged_;
    return sent;
  });
  const auto add = [this](std::string name, auto call) {
    Add(std::move(name), [call](const Channel& channel, grpc::ClientContext& context) {
      return call(*v1::Messaging::NewStub(channel), context);
    });
  };
  add("send to a receiver", [](Stub& stub, auto& context) { return Send(stub, context, "work"); });
  const auto receive = [&add](std::string name, const v1::ReceiveStart& start) {
    add(std::move(name),
        [start](Stub& stub, auto& context) { return Receive(stub, context, start); });
  };
  receive("receiver", ReceiverOf("work"));
  v1::ReceiveStart consumer = ReceiverOf("work");
  consumer.set_mode(v1::RECEIVE_MODE_RECEIVE_AND_DELETE);
  receive("consumer", consumer);
  receive("idle receiver", ReceiverOf("empty"));
  v1::ReceiveStart next = ReceiverOf("sessions");
  next.mutable_next_session()->mutable_max_wait()->set_seconds(kMinuteSeconds);
  receive("receiver of the next session", next);
  add("wait", WaitForAMessage);
  add("idle sender", StandIdle);
  add("upload", BeginUpload);
  Add("session", WaitForASession);
}

void LeadershipClients::Stop() {
  {
    MutexLock lock(mutex_);
    is_over_ = true;
    for (grpc::ClientContext* context : open_) context->TryCancel();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void LeadershipClients::Add(std::string name, Call call) {
  threads_.emplace_back(
      [this, name = std::move(name), call = std::move(call)] { Repeat(name, call); });
}

void LeadershipClients::Repeat(const std::string& name, const Call& call) {
  const Channel channel = grpc::CreateChannel(address_, grpc::InsecureChannelCredentials());
  while (true) {
    grpc::ClientContext context;
    {
      MutexLock lock(mutex_);
      if (is_over_) return;
      open_.push_back(&context);
    }
    const grpc::Status status = call(channel, context);
    Note(name, context, status);
  }
}

// Those of the end of the test are no matter.
void LeadershipClients::Note(const std::string& name, const grpc::ClientContext& context,
                             const grpc::Status& status) {
  MutexLock lock(mutex_);
  open_.erase(std::find(open_.begin(), open_.end(), &context));
  if (is_over_) return;
  Ends& ends = ends_[name];
  const auto is_said = [&](const std::string& reason) {
    return status.error_message().find(reason) != std::string::npos;
  };
  if (status.ok()) {
    ++ends.ok;
  } else if (status.error_code() == grpc::StatusCode::UNAVAILABLE &&
             std::any_of(reasons_.begin(), reasons_.end(), is_said)) {
    ++ends.told;
  } else if (ends.wrong.empty()) {
    ends.wrong = std::to_string(status.error_code()) + " " + status.error_message();
  }
  changed_.notify_all();
}

void LeadershipClients::AwaitAcknowledged(std::uint64_t count) {
  MutexLock lock(mutex_);
  const auto is_wrong = [](const auto& ends) { return !ends.second.wrong.empty(); };
  while (acknowledged_ < count && std::none_of(ends_.begin(), ends_.end(), is_wrong)) {
    changed_.wait(mutex_);
  }
}

std::map<std::string, LeadershipClients::Ends> LeadershipClients::ends() {
  MutexLock lock(mutex_);
  return ends_;
}

}  // namespace wharf
