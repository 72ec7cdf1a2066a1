#include "broker/doors/amqp/mapping/section_bytes.h"

#include <utility>

#include "broker/doors/amqp/codec/writer.h"
#include "broker/doors/amqp/types/descriptor.h"

namespace wharf::amqp {

namespace {

// Of a kind: the code with sizes of one byte; that with four is 0x10 above.
std::uint8_t ShortCodeOf(SectionKind kind) {
  switch (kind) {
    case SectionKind::kList:
      return code::kList8;
    case SectionKind::kMap:
      return code::kMap8;
    case SectionKind::kBinary:
      return code::kBinary8;
  }
  return code::kNull;
}

std::uint8_t CodeFor(std::uint8_t wanted, SectionKind kind, std::uint64_t bytes,
                     std::uint32_t count) {
  constexpr std::uint64_t kShortMax = 255;
  const std::uint8_t short_code = ShortCodeOf(kind);
  const auto long_code = static_cast<std::uint8_t>(short_code + 0x10);
  // The count of a list or map is part of what its size says.
  const std::uint64_t size = kind == SectionKind::kBinary ? bytes : bytes + 1;
  if (size > kShortMax || count > kShortMax || wanted == long_code) return long_code;
  if (kind == SectionKind::kList && count == 0 && wanted != short_code) return code::kList0;
  return short_code;
}

void PutNumber(std::string& out, std::uint64_t number, std::size_t width) {
  while (width-- > 0)
    out.push_back(static_cast<char>(static_cast<std::uint8_t>(number >> 8 * width)));
}

std::string UsualDescriptor(std::uint64_t descriptor) {
  std::string out;
  Writer(out).BeginDescribed(descriptor);
  return out;
}

}  // namespace

AmqpForm::Section EnterSection(Reader& reader, std::string_view section, std::uint64_t descriptor) {
  reader.EnterDescribed();
  ReadDescriptor(reader);
  AmqpForm::Section form;
  const std::size_t at = reader.position();
  if (!reader.ok() || at >= section.size()) return form;
  form.descriptor = std::string(section.substr(0, at));
  if (form.descriptor == UsualDescriptor(descriptor)) form.descriptor.clear();
  form.code = static_cast<std::uint8_t>(section[at]);
  return form;
}

AmqpForm::Section Unusual(AmqpForm::Section form, SectionKind kind, std::size_t bytes,
                          std::uint32_t count) {
  if (count > 0 && form.code == CodeFor(0, kind, bytes, count)) form.code = 0;
  return form;
}

void WriteHead(std::string& out, std::uint64_t descriptor, const AmqpForm::Section& form,
               SectionKind kind, std::uint64_t bytes, std::uint32_t count) {
  out += form.descriptor.empty() ? UsualDescriptor(descriptor) : form.descriptor;
  const std::uint8_t format_code = CodeFor(form.code, kind, bytes, count);
  out.push_back(static_cast<char>(format_code));
  if (format_code == code::kList0) return;
  const std::size_t width = format_code == ShortCodeOf(kind) ? 1 : 4;
  const bool is_counted = kind != SectionKind::kBinary;
  PutNumber(out, is_counted ? bytes + width : bytes, width);
  if (is_counted) PutNumber(out, count, width);
}

void WriteSection(std::string& out, std::uint64_t descriptor, const AmqpForm::Section& form,
                  SectionKind kind, std::string_view contents, std::uint32_t count) {
  if (count == 0 && form.is_usual()) return;
  WriteHead(out, descriptor, form, kind, contents.size(), count);
  out += contents;
}

}  // namespace wharf::amqp
