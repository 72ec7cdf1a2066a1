#include "broker/grpc/topics_service.h"

#include <google/protobuf/empty.pb.h>

#include "broker/grpc/call.h"
#include "broker/grpc/convert.h"
#include "broker/grpc/convert_topic.h"
#include "broker/grpc/receive_answer.h"
#include "broker/grpc/topics_answer.h"

namespace wharf {

grpc::ServerUnaryReactor* TopicsService::CreateTopic(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request,
                                                     grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::CreateTopicRequest, v1::TopicProperties>;
  return Call::Start(calls_, context, request, response, [this](Call& call) {
    call.entity_path = call.request().topic().name();
    Result<QueueDescription> description = FromProto(call.request().topic());
    if (!description.ok()) return call.Fail(description.status());
    broker_.Create(EntityKind::kTopic, *std::move(description), AnswerProperties(call));
  });
}

grpc::ServerUnaryReactor* TopicsService::UpdateTopic(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request,
                                                     grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::UpdateTopicRequest, v1::TopicProperties>;
  return Call::Start(calls_, context, request, response, [this](Call& call) {
    call.entity_path = call.request().topic().name();
    Result<QueueDescription> description = FromProto(call.request().topic());
    if (!description.ok()) return call.Fail(description.status());
    broker_.Update(EntityKind::kTopic, *std::move(description), AnswerProperties(call));
  });
}

grpc::ServerUnaryReactor* TopicsService::GetTopic(grpc::CallbackServerContext* context,
                                                  const grpc::ByteBuffer* request,
                                                  grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::GetTopicRequest, v1::TopicProperties>;
  return Call::Start(calls_, context, request, response, [this](Call& call) {
    call.entity_path = call.request().name();
    broker_.Get(EntityKind::kTopic, call.entity_path, AnswerProperties(call));
  });
}

// A page token is the folded name of the last topic of the page before.
grpc::ServerUnaryReactor* TopicsService::ListTopics(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* request,
                                                    grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::ListTopicsRequest, v1::ListTopicsResponse>;
  return Call::Start(calls_, context, request, response, [this](Call& call) {
    broker_.List(EntityKind::kTopic, call.request().page_token(),
                 PageSizeOf(call.request().page_size()), [&call](Result<QueuePage> page) {
                   if (!page.ok()) return call.Fail(page.status());
                   for (const QueueSnapshot& snapshot : page->queues) {
                     ToProto(snapshot.record, call.response().add_topics());
                     ToProto(snapshot, call.response().add_runtime());
                   }
                   if (page->has_more) {
                     call.response().set_next_page_token(
                         FoldPath(page->queues.back().record.description.name));
                   }
                   call.Succeed();
                 });
  });
}

grpc::ServerUnaryReactor* TopicsService::DeleteTopic(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request,
                                                     grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::DeleteTopicRequest, google::protobuf::Empty>;
  return Call::Start(calls_, context, request, response, [this](Call& call) {
    call.entity_path = call.request().name();
    broker_.Delete(EntityKind::kTopic, call.entity_path, AnswerDone(call));
  });
}

grpc::ServerUnaryReactor* TopicsService::GetTopicRuntimeProperties(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::GetTopicRuntimePropertiesRequest, v1::TopicRuntimeProperties>;
  return Call::Start(calls_, context, request, response, [this](Call& call) {
    call.entity_path = call.request().name();
    broker_.Get(EntityKind::kTopic, call.entity_path, AnswerRuntime(call));
  });
}

}  // namespace wharf
