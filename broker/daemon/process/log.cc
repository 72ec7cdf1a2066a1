#include "broker/daemon/process/log.h"

#include <iterator>
#include <memory>
#include <string_view>

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <fmt/core.h>
#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <nlohmann/json.hpp>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "storage/base/log_fields.h"
#include "storage/base/log_limit.h"

namespace wharf {
namespace {

constexpr char kTextPattern[] = "%Y-%m-%dT%H:%M:%S.%eZ %l %_";
constexpr char kJsonPattern[] = R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","message":%*%&})";
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

// On one line, whatever stands in it: a name of a file may have a line feed, and what is behind
// that would read as a line of ours.
class TextSentence final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& line, const std::tm& /*time*/,
              spdlog::memory_buf_t& out) override {
    for (const char letter : line.payload) {
      if (absl::ascii_iscntrl(static_cast<unsigned char>(letter))) {
        fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(letter));
      } else {
        out.push_back(letter);
      }
    }
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<TextSentence>();
  }
};

// A string of JSON; bytes that are no UTF-8 become U+FFFD.
std::string AsJson(std::string_view text) {
  return nlohmann::json(std::string(text))
      .dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

// The sentence.
class JsonSentence final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& line, const std::tm& /*time*/,
              spdlog::memory_buf_t& out) override {
    const std::string text = AsJson({line.payload.data(), line.payload.size()});
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<JsonSentence>();
  }
};

// Behind it what the line is about.
class JsonFields final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& /*line*/, const std::tm& /*time*/,
              spdlog::memory_buf_t& out) override {
    LogFields::ForEach([&out](std::string_view name, std::string_view value) {
      const std::string text = fmt::format(R"(,"{}":{})", name, AsJson(value));
      out.append(text.data(), text.data() + text.size());
    });
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<JsonFields>();
  }
};

std::unique_ptr<spdlog::formatter> FormatterFor(const std::string& format) {
  auto formatter =
      std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc, "\n");
  formatter->add_flag<TextSentence>('_');
  formatter->add_flag<JsonSentence>('*');
  formatter->add_flag<JsonFields>('&');
  formatter->set_pattern(format == "json" ? kJsonPattern : kTextPattern);
  return formatter;
}

}  // namespace

void SetLog(const std::string& level, const std::string& format) {
  spdlog::set_formatter(FormatterFor(format));
  spdlog::set_level(spdlog::level::from_str(level));
}

void StartLog(const std::string& level, const std::string& format) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("wharfd"));
  SetLog(level, format);
  spdlog::flush_on(spdlog::level::debug);
  gpr_set_log_function(OnGrpcLine);
  google::protobuf::SetLogHandler(OnProtobufLine);
}

}  // namespace wharf
