#include "broker/daemon/log.h"

#include <string_view>

#include <absl/strings/escaping.h>
#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "storage/base/log_limit.h"

namespace wharf {
namespace {

constexpr Duration kLibraryLinesEvery = std::chrono::seconds(1);

void LogOfLibrary(std::string_view library, const std::string& line) {
  static LogLimit limit(kLibraryLinesEvery);
  if (!spdlog::should_log(spdlog::level::debug)) return;
  const auto unsaid = limit.Admit();
  if (!unsaid) return;
  spdlog::debug("{}: {}{}", library, absl::CHexEscape(line), Unsaid(*unsaid));
}

void OnGrpcLine(gpr_log_func_args* line) { LogOfLibrary("gRPC", line->message); }

void OnProtobufLine(google::protobuf::LogLevel level, const char*, int,
                    const std::string& message) {
  if (level == google::protobuf::LOGLEVEL_FATAL) {
    return spdlog::critical("protobuf: {}", absl::CHexEscape(message));
  }
  LogOfLibrary("protobuf", message);
}

}  // namespace

void StartLog(const std::string& level) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("wharfd"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
  spdlog::set_level(spdlog::level::from_str(level));
  spdlog::flush_on(spdlog::level::debug);
  gpr_set_log_function(OnGrpcLine);
  google::protobuf::SetLogHandler(OnProtobufLine);
}

}  // namespace wharf
