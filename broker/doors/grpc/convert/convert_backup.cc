#include "broker/doors/grpc/convert/convert_backup.h"

#include "broker/doors/grpc/convert/convert.h"

namespace wharf {
namespace {

v1::BackupWork::Verb VerbOf(BackupVerb verb) {
  switch (verb) {
    case BackupVerb::kCreate:
      return v1::BackupWork::VERB_CREATE;
    case BackupVerb::kVerify:
      return v1::BackupWork::VERB_VERIFY;
    case BackupVerb::kPrune:
      return v1::BackupWork::VERB_PRUNE;
  }
  return v1::BackupWork::VERB_UNSPECIFIED;
}

}  // namespace

void ToProto(const BackupWork& work, v1::BackupWork* proto) {
  proto->set_id(work.id);
  proto->set_verb(VerbOf(work.verb));
  proto->set_label(work.label);
  proto->set_under_way(work.is_under_way);
  proto->set_byte_count(work.bytes);
  proto->set_of_byte_count(work.of_bytes);
  proto->set_shared_byte_count(work.shared_bytes);
  proto->set_encrypted_to(work.encrypted_to);
  for (const std::string& label : work.removed) proto->add_removed(label);
  proto->set_trouble(work.trouble);
}

void ToProto(const BackupFacts& facts, v1::Backup* proto) {
  proto->set_label(facts.label);
  proto->set_trouble(facts.trouble);
  if (!facts.trouble.empty()) return;
  ToProto(facts.created_at, proto->mutable_created_at());
  proto->set_commit_count(facts.commits);
  proto->set_file_count(facts.files);
  proto->set_byte_count(facts.bytes);
  proto->set_shared_byte_count(facts.shared_bytes);
  proto->set_cluster_id(facts.cluster_id);
  proto->set_node_name(facts.node_name);
  proto->set_version(facts.version);
  proto->set_encrypted_to(facts.encrypted_to);
  if (facts.archived_commits == 0) return;
  proto->set_archived_commit_count(facts.archived_commits);
  ToProto(facts.archived_until, proto->mutable_archived_until());
}

void ToProto(const BackupList& list, v1::ListBackupsResponse* proto) {
  for (const BackupFacts& each : list.backups) ToProto(each, proto->add_backups());
  for (const ArchivedRun& each : list.archived) {
    v1::ArchivedRun& run = *proto->add_archived();
    run.set_first_commit(each.first);
    run.set_last_commit(each.last);
    ToProto(each.first_at, run.mutable_first_at());
    ToProto(each.last_at, run.mutable_last_at());
    run.set_byte_count(each.bytes);
    run.set_encrypted(each.is_encrypted);
  }
  proto->set_archive_trouble(list.archive_trouble);
}

}  // namespace wharf
