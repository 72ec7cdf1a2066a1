#include "tools/wharf/service/disk_command.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "tools/wharf/all_pages.h"
#include "tools/wharf/terminal/table.h"
#include "tools/wharf/text/field_text.h"
#include "tools/wharf/text/number_option.h"
#include "tools/wharf/top/screen.h"

namespace wharf::tool {
namespace {

struct DiskOptions {
  std::size_t entities_max = 10;
};

std::string Bytes(std::int64_t bytes) { return ShortBytes(static_cast<double>(bytes)); }

bool IsLarger(const v1::EntityNumbers& one, const v1::EntityNumbers& other) {
  const auto weight = [](const v1::EntityNumbers& entity) {
    return std::max(entity.size_in_bytes(), entity.table_bytes());
  };
  return weight(one) > weight(other);
}

// The largest ones, in order; no more than these and a page are in memory.
Result<std::vector<v1::EntityNumbers>> LargestEntities(Program& program, std::size_t count_max) {
  std::vector<v1::EntityNumbers> largest;
  if (count_max == 0) return largest;
  const Status status = EachPage(
      [&](const std::string& token) {
        v1::ListEntityNumbersRequest request;
        request.set_page_token(token);
        request.set_with_table_bytes(true);
        return program.client().management().ListEntityNumbers(request);
      },
      [&](const v1::ListEntityNumbersResponse& page) {
        largest.insert(largest.end(), page.entities().begin(), page.entities().end());
        std::stable_sort(largest.begin(), largest.end(), IsLarger);
        if (largest.size() > count_max) largest.resize(count_max);
        return true;
      });
  if (!status.ok()) return status;
  return largest;
}

using Rows = std::vector<std::pair<std::string_view, std::int64_t>>;

Rows DiskRows(const v1::BrokerStatistics& broker) {
  const v1::StoreSpace& space = broker.space();
  return {{"live", space.live_bytes()},
          {"dead, and worth giving back (about)", space.dead_bytes()},
          {"log", broker.disk().log_bytes()},
          {"reserve", broker.disk().reserve_bytes()},
          {"free", broker.disk().free_bytes()},
          {"a warning below", broker.disk().warned_below_bytes()},
          {"sends are refused below", broker.disk().sends_refused_below_bytes()}};
}

Rows NamespaceRows(const v1::BrokerStatistics& broker) {
  return {{"messages of all entities", broker.namespace_bytes()},
          {"sends are refused beyond", broker.max_namespace_bytes()}};
}

Rows MemoryRows(const v1::BrokerStatistics& broker) {
  const v1::MemoryUse& memory = broker.memory();
  return {{"heads of queues", memory.window_bytes()},
          {"requests without an answer", memory.request_bytes()},
          {"requests may take", memory.request_bytes_max()},
          {"messages that clients have not read", memory.stream_bytes()},
          {"write buffers of the store", memory.write_buffer_bytes()},
          {"block cache of the store", memory.block_cache_bytes()}};
}

void PrintRows(Output& out, std::string_view heading, const Rows& rows) {
  out.Print("{}\n", heading);
  for (const auto& [name, bytes] : rows) out.Print("  {:<38}{:>12}\n", name, Bytes(bytes));
}

void PrintEntities(Output& out, const std::vector<v1::EntityNumbers>& entities) {
  Table table({{"ENTITY", Column::Kind::kText},
               {"MESSAGES", Column::Kind::kNumber},
               {"TABLES (ABOUT)", Column::Kind::kNumber}},
              out);
  for (const v1::EntityNumbers& each : entities) {
    table.Add({each.entity_path(), Bytes(each.size_in_bytes()), Bytes(each.table_bytes())});
  }
  table.End();
}

Json ToJson(const v1::BrokerStatistics& broker, const std::vector<v1::EntityNumbers>& entities) {
  Json json{{"disk", FieldsToJson(broker.disk())},
            {"store", FieldsToJson(broker.space())},
            {"namespace",
             {{"bytes", broker.namespace_bytes()}, {"max_bytes", broker.max_namespace_bytes()}}},
            {"memory", FieldsToJson(broker.memory())},
            {"alarms", Json::array()},
            {"entities", Json::array()}};
  for (const auto& each : broker.alarms()) json["alarms"].push_back(FieldsToJson(each));
  for (const auto& each : entities) {
    json["entities"].push_back({{"entity_path", each.entity_path()},
                                {"size_in_bytes", each.size_in_bytes()},
                                {"table_bytes", each.table_bytes()}});
  }
  return json;
}

ExitCode Disk(Program& program, const DiskOptions& options) {
  const auto broker = program.client().management().GetBrokerStatistics();
  if (!broker.ok()) return program.Fail(broker.status());
  const auto entities = LargestEntities(program, options.entities_max);
  if (!entities.ok()) return program.Fail(entities.status());
  if (program.is_json) {
    program.out.PrintJson(ToJson(*broker, *entities));
    return ExitCode::kOk;
  }
  for (const v1::SpaceAlarm& each : broker->alarms()) {
    program.out.Print("{}: {}\n", each.name(), each.text());
  }
  PrintRows(program.out, "DISK", DiskRows(*broker));
  if (broker->max_namespace_bytes() > 0) {
    PrintRows(program.out, "NAMESPACE", NamespaceRows(*broker));
  }
  PrintRows(program.out, "MEMORY", MemoryRows(*broker));
  PrintEntities(program.out, *entities);
  return ExitCode::kOk;
}

}  // namespace

void AddDiskCommand(CLI::App& app, Program& program) {
  const auto options = std::make_shared<DiskOptions>();
  CLI::App& command = *app.add_subcommand(
      "disk",
      "Where the bytes are: on the disk, in memory and by entity, and which bounds are near. What "
      "an entity's messages have is counted; what it takes of the tables is estimated by the "
      "ranges of its keys, without large bodies, and with what was deleted and is not given back "
      "yet");
  AddNumberOption(command, "--entities", options->entities_max, "So many of the largest entities",
                  {.min = 0, .max = 100000});
  command.callback([options, &program] {
    program.action = [options, &program] { return Disk(program, *options); };
  });
}

}  // namespace wharf::tool
