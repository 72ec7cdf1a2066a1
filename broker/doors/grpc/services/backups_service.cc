#include "broker/doors/grpc/services/backups_service.h"

#include "broker/doors/grpc/convert/convert_backup.h"
#include "broker/doors/grpc/services/call.h"
#include "broker/doors/grpc/services/node_need.h"

namespace wharf {
namespace {

// Null, and the call has failed: its caller may not, or there are none.
template <typename Call>
BackupControl* BackupsFor(Call& call) {
  Status refused = CheckNeed(call, kNeed<ManageBackups>);
  BackupControl* const backups = call.node().backups;
  if (refused.ok() && backups == nullptr) {
    refused = {ErrorCode::kInvalidOperation, "there are no backups here"};
  }
  if (refused.ok()) return backups;
  call.Fail(refused);
  return nullptr;
}

template <typename Call>
Answer<BackupWork> AnswerOf(Call& call) {
  return [&call](const Result<BackupWork>& work) {
    if (!work.ok()) return call.Fail(work.status());
    ToProto(*work, &call.response());
    call.Succeed();
  };
}

}  // namespace

BackupsService::BackupsService(const Gates& gates)
    : RawService(v1::Backups::service_full_name()), gates_(gates) {
  Offer(Unary("Create", &BackupsService::Create), Unary("Verify", &BackupsService::Verify),
        Unary("Prune", &BackupsService::Prune), Unary("GetWork", &BackupsService::GetWork),
        Unary("List", &BackupsService::List));
}

UnaryReactor* BackupsService::Create(grpc::CallbackServerContext* context,
                                     grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::CreateBackupRequest, v1::BackupWork>;
  return Call::Start(gates_, context, response, [](Call& call) {
    if (auto* const backups = BackupsFor(call)) {
      const v1::CreateBackupRequest& request = call.request();
      backups->Create(request.label(), request.encrypt_to(), AnswerOf(call));
    }
  });
}

UnaryReactor* BackupsService::Verify(grpc::CallbackServerContext* context,
                                     grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::VerifyBackupRequest, v1::BackupWork>;
  return Call::Start(gates_, context, response, [](Call& call) {
    if (auto* const backups = BackupsFor(call)) {
      backups->Verify(call.request().label(), AnswerOf(call));
    }
  });
}

UnaryReactor* BackupsService::Prune(grpc::CallbackServerContext* context,
                                    grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::PruneBackupsRequest, v1::BackupWork>;
  return Call::Start(gates_, context, response, [](Call& call) {
    if (auto* const backups = BackupsFor(call)) {
      backups->Prune(call.request().keep(), AnswerOf(call));
    }
  });
}

UnaryReactor* BackupsService::GetWork(grpc::CallbackServerContext* context,
                                      grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::GetBackupWorkRequest, v1::BackupWork>;
  return Call::Start(gates_, context, response, [](Call& call) {
    if (auto* const backups = BackupsFor(call)) {
      backups->Look(call.request().id(), AnswerOf(call));
    }
  });
}

UnaryReactor* BackupsService::List(grpc::CallbackServerContext* context,
                                   grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::ListBackupsRequest, v1::ListBackupsResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    auto* const backups = BackupsFor(call);
    if (backups == nullptr) return;
    backups->List([&call](const Result<BackupList>& found) {
      if (!found.ok()) return call.Fail(found.status());
      ToProto(*found, &call.response());
      call.Succeed();
    });
  });
}

}  // namespace wharf
