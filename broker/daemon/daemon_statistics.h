// What a daemon tells of itself, put together from its parts. Any thread.
#pragma once

#include <string>

#include "broker/access/guard.h"
#include "broker/daemon/leadership.h"
#include "broker/doors/amqp/entities/amqp_door.h"
#include "broker/doors/common/open_connections.h"
#include "broker/doors/grpc/server.h"
#include "broker/doors/http/servicebus/servicebus_door.h"
#include "broker/requests/broker_statistics.h"
#include "broker/trace/tracer.h"
#include "storage/archive/batch_archive.h"
#include "storage/commit_log.h"
#include "storage/disk/disk_gate.h"
#include "storage/rocks/rocks_store.h"

namespace wharf {

struct DaemonParts {
  Timestamp started_at;
  Timestamp now;
  // Null: of a node that does not lead.
  const Leadership* leadership;
  CommitLog::Stats log;
  const RocksStore& store;
  const DiskGate& gate;
  OpenConnections& connections;
  // Null: there is none.
  const access::Guard* guard;
  const Server* server;
  // Null: AMQP is not listened for.
  const amqp::AmqpDoor* amqp;
  // Null: Service Bus over HTTP is not listened for.
  const ServiceBusDoor* http;
  const trace::Tracer* tracer;
  // Of the log; empty: there is none.
  std::string entries_folder{};
  // Null: nothing is archived.
  const BatchArchive* archive = nullptr;
};

BrokerStatistics StatisticsOf(const DaemonParts& parts);

}  // namespace wharf
