// wharfd: the daemon. Reads its options, opens the store, starts the broker, waits for a reason to
// stop, and takes it down again.

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "broker/daemon/daemon.h"
#include "broker/daemon/listen_address.h"
#include "broker/daemon/options.h"
#include "broker/daemon/start_space.h"
#include "broker/daemon/stop_signal.h"
#include "broker/schema/change_encoder.h"
#include "broker/schema/loader.h"
#include "broker/schema/tables.h"
#include "storage/base/broker_clock.h"

// Read by jemalloc before main: freed memory goes back to the system within about a second, also
// while nobody allocates.
extern "C" {
// NOLINTNEXTLINE(readability-identifier-naming): jemalloc chose the name.
extern const char* const malloc_conf;
const char* const malloc_conf = "background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0";
}

namespace wharf {
namespace {

// Makes the folder a broker's, and finds out when it was last written.
Result<FolderState> PrepareFolder(RocksStore& store) {
  Result<FolderState> state = LoadFolderState(store);
  if (!state.ok() || !state->is_new) return state;
  const WriteBatch batch = EncodeNewFolder();
  if (Status written = store.Write({&batch, 1}, RocksStore::Sync::kYes); !written.ok()) {
    return written;
  }
  return state;
}

// After a write of a compaction that failed RocksDB may abort (storage/README.md), so it must not
// go on; and nothing is taken down, because that waits for it.
[[noreturn]] void EndAtOnce(const Status& failure) {
  spdlog::error("wharfd ends: {}", failure.message());
  std::_Exit(1);
}

Status Serve(const DaemonOptions& options) {
  WHARF_RETURN_IF_ERROR(CheckListenAddress(options.listen));
  DiskReserve reserve(options.data);
  const bool spares_disk = MakeRoomToStart(FolderDisk(options.data), reserve, options.data);
  Garbage garbage;  // Outlives the store, whose compactions ask it.
  Result<std::unique_ptr<RocksStore>> store =
      RocksStore::Open({.path = options.data,
                        .tables = BrokerTables(garbage),
                        .file_system = nullptr,
                        .spares_disk = spares_disk,
                        .on_background_failure = EndAtOnce});
  if (!store.ok()) return store.status();
  Result<FolderState> folder = PrepareFolder(**store);
  if (!folder.ok()) return folder.status();
  if (!options.accept_clock && !options.has_manual_clock) {
    WHARF_RETURN_IF_ERROR(
        BrokerClock::CheckStart(BrokerClock::SystemSources().wall(), folder->last_committed));
  }
  Result<BrokerImage> image = LoadBroker(**store);
  if (!image.ok()) return image.status();

  const std::size_t queues = image->catalog.queues.size();
  StopSignal stop;
  Daemon daemon(*std::move(store), *std::move(image),
                MakeClock(options.has_manual_clock, folder->last_committed), garbage, options,
                stop);
  Status served = daemon.Start();
  if (served.ok()) served = daemon.Listen(options.listen);
  if (served.ok()) {
    const std::string host = options.listen.substr(0, options.listen.rfind(':'));
    spdlog::info("wharfd ready on {}:{} data={} queues={}", host, daemon.port(), options.data,
                 queues);
    served = stop.Wait();
  }
  daemon.Stop(served.ok());
  if (served.ok()) spdlog::info("wharfd stopped");
  return served;
}

int Main(int argc, char** argv) {
  CLI::App app(
      "wharfd: a durable message broker with the semantics of Azure Service Bus.\n"
      "Stops cleanly at SIGTERM. Exit code: 0 stopped, 1 could not start or go on, 2 bad "
      "usage.");
  DaemonOptions options;
  AddOptions(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  spdlog::set_default_logger(spdlog::stderr_logger_mt("wharfd"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
  spdlog::set_level(spdlog::level::from_str(options.log_level));
  spdlog::flush_on(spdlog::level::info);

  const Status served = Serve(options);
  if (served.ok()) return 0;
  spdlog::error("wharfd ends: {}", served.message());
  return 1;
}

}  // namespace
}  // namespace wharf

int main(int argc, char** argv) { return wharf::Main(argc, argv); }
