#include "broker/doors/http/atom/xml_tree.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include <fmt/core.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>

#include "broker/doors/http/atom/xml_names.h"

namespace wharf::atom {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string CopyOf(const xmlChar* text) {
  return text == nullptr ? std::string() : reinterpret_cast<const char*>(text);
}

// "a:b", or of the one that is not empty alone.
std::string QualifiedName(std::string_view prefix, std::string_view name) {
  if (prefix.empty()) return std::string(name);
  return name.empty() ? std::string(prefix) : fmt::format("{}:{}", prefix, name);
}

// The parser compares all attributes of an element with each other, and would take minutes for what
// nobody sends.
bool HasTooManyAttributes(std::string_view text) {
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<')) {
    text.remove_prefix(at);
    const bool is_data = text.starts_with("<![CDATA[");
    if (is_data || text.starts_with("<!--")) {
      const std::size_t end = text.find(is_data ? "]]>" : "-->");
      if (end == text.npos) return false;
      text.remove_prefix(end);
      continue;
    }
    std::size_t attributes = 0;
    std::size_t i = 1;
    for (char quote = 0; i < text.size() && (quote != 0 || text[i] != '>'); ++i) {
      const char c = text[i];
      const bool is_quote = c == '"' || c == '\'';
      if (quote == 0 && is_quote) {
        quote = c;
      } else if (c == quote) {
        quote = 0;
      } else if (quote == 0 && c == '=' && ++attributes > kXmlAttributesMax) {
        return true;
      }
    }
    text.remove_prefix(i);
  }
  return false;
}

// Builds the tree from what the parser finds; the first thing that is wrong ends it.
class TreeBuilder {
 public:
  Result<XmlElement> Parse(std::string_view text) {
    if (text.size() > kXmlBytesMax) return Bad("it is too long");
    if (HasTooManyAttributes(text)) return Bad("an element has too many attributes");
    static std::once_flag once;
    std::call_once(once, xmlInitParser);
    // What is wrong with an encoding it would print, as nobody's fault; the thread's own setting.
    xmlSetStructuredErrorFunc(nullptr, [](void*, xmlErrorPtr) {});
    xmlSAXHandler handler{};
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = Start;
    handler.endElementNs = End;
    handler.characters = Characters;
    handler.cdataBlock = Characters;
    handler.internalSubset = RefuseDocumentType;
    handler.serror = NoteError;
    context_ = xmlCreatePushParserCtxt(&handler, this, nullptr, 0, nullptr);
    if (context_ == nullptr) return Bad("there is no memory to read it");
    const std::unique_ptr<xmlParserCtxt, void (*)(xmlParserCtxtPtr)> owner(context_,
                                                                           xmlFreeParserCtxt);
    // No entity is declared here; without the second one an ampersand of an attribute is told as
    // "&#38;".
    xmlCtxtUseOptions(context_, XML_PARSE_NONET | XML_PARSE_NOENT);
    xmlParseChunk(context_, text.data(), static_cast<int>(text.size()), /*terminate=*/1);
    if (wrong_) return *wrong_;
    if (context_->wellFormed == 0 || !is_whole_) return Bad("it is no XML");
    return std::move(root_);
  }

 private:
  using Text = const xmlChar*;

  static TreeBuilder& Self(void* self) { return *static_cast<TreeBuilder*>(self); }
  static Status Bad(std::string_view why) {
    return {ErrorCode::kArgumentError, fmt::format("the body cannot be read: {}", why)};
  }

  static void Start(void* self, Text name, Text prefix, Text space, int namespaces, Text* declared,
                    int attributes, int /*defaulted*/, Text* attribute) {
    if (XmlElement* const element = Self(self).Begin(name, prefix, space); element != nullptr) {
      Self(self).Declare(namespaces, declared, *element);
      Self(self).NoteAttributes(attributes, attribute, *element);
    }
  }
  static void End(void* self, Text /*name*/, Text /*prefix*/, Text /*space*/) {
    Self(self).Close();
  }
  static void Characters(void* self, Text text, int length) {
    TreeBuilder& builder = Self(self);
    if (!builder.open_.empty()) {
      builder.open_.back()->text.append(reinterpret_cast<const char*>(text),
                                        static_cast<std::size_t>(length));
    }
  }
  static void RefuseDocumentType(void* self, Text /*name*/, Text /*external*/, Text /*system*/) {
    Self(self).Stop("a document type is not allowed here");
  }
  static void NoteError(void* self, xmlErrorPtr error) {
    if (error->level < XML_ERR_ERROR) return;
    std::string_view why = error->message == nullptr ? "it is no XML" : error->message;
    Self(self).Stop(fmt::format("line {}: {}", error->line, Trimmed(why)));
  }

  std::nullptr_t Stop(std::string_view why) {
    if (!wrong_) wrong_ = Bad(why);
    xmlStopParser(context_);
    return nullptr;
  }

  // Null: it is one too many.
  XmlElement* Begin(Text name, Text prefix, Text space) {
    if (wrong_) return nullptr;
    if (open_.size() >= kXmlDepthMax) return Stop("its elements are too deep in each other");
    if (++elements_ > kXmlElementsMax) return Stop("it has too many elements");
    if (is_whole_) return Stop("it has more than one root");
    XmlElement& element = open_.empty() ? root_ : open_.back()->children.emplace_back();
    element.name = {CopyOf(space), CopyOf(name)};
    element.prefix = CopyOf(prefix);
    if (!open_.empty()) element.text_before = open_.back()->text.size();
    open_.push_back(&element);
    return &element;
  }

  // Each is a prefix, or none, and what it means from here on.
  void Declare(int count, Text* declared, XmlElement& element) {
    declared_.push_back(prefixes_.size());
    for (int i = 0; i < count; ++i, declared += 2) {
      const auto& [prefix, space] =
          prefixes_.emplace_back(CopyOf(declared[0]), CopyOf(declared[1]));
      if (space.size() > kXmlNamespaceBytesMax) {
        Stop("the name of a namespace is too long");
        return;
      }
      element.declarations.push_back({QualifiedName("xmlns", prefix), space});
    }
  }

  // Each is its name, its prefix, its namespace, and where its value begins and ends: in what is
  // gone when the parser has stopped.
  void NoteAttributes(int count, Text* attribute, XmlElement& element) {
    if (wrong_) return;
    for (int i = 0; i < count; ++i, attribute += 5) {
      const std::string name = CopyOf(attribute[0]);
      const std::string_view value(reinterpret_cast<const char*>(attribute[3]),
                                   attribute[4] - attribute[3]);
      const bool is_type = name == "type" && CopyOf(attribute[2]) == kInstanceSpace;
      if (is_type) element.type = Resolve(value);
      element.attributes.push_back({QualifiedName(CopyOf(attribute[1]), name), std::string(value)});
    }
  }

  void Close() {
    if (wrong_ || open_.empty()) return;
    open_.pop_back();
    prefixes_.resize(declared_.back());
    declared_.pop_back();
    is_whole_ = open_.empty();
  }

  // What a name with a prefix means here.
  XmlName Resolve(std::string_view name) const {
    name = Trimmed(name);
    const std::size_t colon = name.find(':');
    const std::string_view prefix =
        colon == std::string_view::npos ? std::string_view() : name.substr(0, colon);
    if (colon != std::string_view::npos) name.remove_prefix(colon + 1);
    const auto found = std::find_if(prefixes_.rbegin(), prefixes_.rend(),
                                    [prefix](const auto& each) { return each.first == prefix; });
    return {found == prefixes_.rend() ? std::string() : found->second, std::string(name)};
  }

  xmlParserCtxtPtr context_ = nullptr;
  XmlElement root_;
  bool is_whole_ = false;
  std::optional<Status> wrong_;
  std::size_t elements_ = 0;
  // From the root to where the parser is.
  std::vector<XmlElement*> open_;
  // What prefixes mean there; how many there were before each of those elements.
  std::vector<std::pair<std::string, std::string>> prefixes_;
  std::vector<std::size_t> declared_;
};

}  // namespace

const XmlElement* XmlElement::Find(std::string_view local) const {
  for (const XmlElement& child : children) {
    if (child.name.name == local && child.name.space == name.space) return &child;
  }
  return nullptr;
}

void XmlElement::Inherit(const XmlElement& outer) {
  const auto declares = [](const XmlElement& element, const std::string& name) {
    return std::any_of(element.declarations.begin(), element.declarations.end(),
                       [&name](const XmlAttribute& each) { return each.name == name; });
  };
  for (const XmlAttribute& each : outer.declarations) {
    if (!declares(*this, each.name)) declarations.push_back(each);
  }
}

Result<XmlElement> ParseXml(std::string_view text) { return TreeBuilder().Parse(text); }

Status CheckSaidOnce(const XmlElement& element, absl::FunctionRef<bool(const XmlName&)> means) {
  std::set<std::string_view> names;
  for (const XmlElement& child : element.children) {
    if (child.name.space != element.name.space || !means(child.name)) continue;
    if (names.insert(child.name.name).second) continue;
    return {ErrorCode::kArgumentError,
            fmt::format("{:.64} is there twice in {:.64}", child.name.name, element.name.name)};
  }
  return {};
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace wharf::atom
