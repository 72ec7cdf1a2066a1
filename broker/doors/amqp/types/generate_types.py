#!/usr/bin/python3 -B
"""generate_types: the composite types of AMQP 1.0 as C++, out of the official XML (Debian's amqp-specs).

  generate_types.py FOLDER_OF_XML OUT.h OUT.cc

Of each composite type a struct with its fields, their defaults and what is mandatory (composite.h says how they are
read and written); of each restricted type with choices an enum, or constants where a field may hold others, too; of each
word that types `provide` ("delivery-state") a variant of all that do.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree

FILES = ("transport", "messaging", "transactions", "security")
PRIMITIVES = {
    "boolean": "bool", "ubyte": "std::uint8_t", "ushort": "std::uint16_t", "uint": "std::uint32_t",
    "ulong": "std::uint64_t", "timestamp": "TimestampMs", "uuid": "Uuid", "binary": "Binary", "string": "std::string",
    "symbol": "Symbol", "map": "Map", "*": "Value"}
# Some clients read their fields by position, whatever the length of the list: no null is cut off.
WHOLE = ("open", "begin", "attach")
# What a frame holds.
FRAMES = {"frame": "Performative", "sasl-frame": "SaslFrame"}


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[-:]", name))


def snake(name):
    return name.replace("-", "_")


class Specification:
    def __init__(self, folder):
        roots = [xml.etree.ElementTree.parse(folder / f"{name}.bare.xml").getroot() for name in FILES]
        tag = re.match(r"\{.*\}", roots[0].tag)
        self.space = tag.group(0) if tag else ""
        self.types = [kind for root in roots for kind in root.iter(f"{self.space}type")]
        self.by_name = {kind.get("name"): kind for kind in self.types}
        self.composites = [kind for kind in self.types if kind.get("class") == "composite"]

    def children(self, kind, name):
        return kind.findall(f"{self.space}{name}")

    def choices(self, kind):
        return [(choice.get("name"), choice.get("value")) for choice in self.children(kind, "choice")]

    def code(self, kind):
        """The number of its descriptor; None if it has none."""
        descriptors = self.children(kind, "descriptor")
        if not descriptors:
            return None
        domain, number = descriptors[0].get("code").split(":")
        return int(domain, 16) << 32 | int(number, 16)

    def symbol(self, kind):
        return self.children(kind, "descriptor")[0].get("name")

    def providers(self, word):
        return [kind for kind in self.types if word in re.split(r",\s*", kind.get("provides", ""))]

    def is_enum(self, kind):
        """Where a field has just this type. What merely provides a word is a constant."""
        return kind.get("class") == "restricted" and self.choices(kind) and not kind.get("provides")

    def source(self, name):
        """The primitive type that it comes down to."""
        while name in self.by_name and self.by_name[name].get("class") == "restricted":
            name = self.by_name[name].get("source")
        return name

    def cpp(self, name):
        kind = self.by_name.get(name)
        if kind is not None and (kind.get("class") == "composite" or self.is_enum(kind)):
            return camel(name)
        return PRIMITIVES[self.source(name)]

    def alternatives(self, word):
        """The C++ types of a field that may hold whatever provides the word; each once."""
        return list(dict.fromkeys(self.cpp(kind.get("name")) for kind in self.providers(word)))

    def field_type(self, field):
        word = field.get("requires")
        if field.get("type") != "*" or not word:
            return self.cpp(field.get("type"))
        alternatives = self.alternatives(word)
        if not alternatives:
            return "Value"
        return alternatives[0] if len(alternatives) == 1 else self.variant(word)

    def variant(self, word):
        """A word may be the name of one of the types that provide it."""
        name = FRAMES.get(word, camel(word))
        return f"Any{name}" if word in self.by_name else name

    def words(self):
        """What fields require, and more than one type provides."""
        required = {field.get("requires") for kind in self.composites for field in self.children(kind, "field")
                    if field.get("type") == "*"}
        return [word for word in sorted(required - {None}) if len(self.alternatives(word)) > 1]

    def needs(self, kind):
        """The composite types that must be complete before it."""
        for field in self.children(kind, "field"):
            word = field.get("requires")
            names = [field.get("type")]
            if field.get("type") == "*" and word:
                names = [provider.get("name") for provider in self.providers(word)]
            yield from (self.by_name[name] for name in names
                        if name in self.by_name and self.by_name[name].get("class") == "composite")

    def in_order(self):
        """Each composite type behind those that it holds."""
        done = []

        def place(kind):
            if kind in done:
                return
            for other in self.needs(kind):
                place(other)
            done.append(kind)

        for kind in self.composites:
            place(kind)
        return done


def literal(cpp, value, choices):
    if choices is not None:
        return f"{cpp}::k{camel(value)}"
    if cpp == "bool":
        return value
    return f"{value}U"


def enum(spec, kind):
    name, source = camel(kind.get("name")), PRIMITIVES[kind.get("source")]
    choices = spec.choices(kind)
    names = ", ".join(f"k{camel(choice)}" for choice, _ in choices)
    if source == "Symbol":
        source, values = "std::string_view", ", ".join(f'"{value}"' for _, value in choices)
    else:
        values = ", ".join(value for _, value in choices)
    words = ", ".join(f'"{choice}"' for choice, _ in choices)
    yield f"enum class {name} : std::uint8_t {{ {names} }};"
    yield f"template <>\nstruct Choices<{name}> {{"
    yield f'  static constexpr std::string_view kName = "{kind.get("name")}";'
    yield f"  static constexpr std::array<{source}, {len(choices)}> kValues = {{{values}}};"
    yield f"  static constexpr std::array<std::string_view, {len(choices)}> kWords = {{{words}}};"
    yield "};\n"


def constants(spec, kind):
    yield f"namespace {snake(kind.get('name'))} {{"
    for name, value in spec.choices(kind):
        yield f'inline constexpr std::string_view k{camel(name)} = "{value}";'
    yield "}\n"


def field_lines(spec, field):
    """How it is declared, and how it is visited."""
    cpp, name = spec.field_type(field), snake(field.get("name"))
    title = f'"{field.get("name")}", self.{name}'
    default, is_mandatory = field.get("default"), field.get("mandatory") == "true"
    if field.get("multiple") == "true":
        how = "MandatoryMultiple" if is_mandatory else "Multiple"
        return f"std::vector<{cpp}> {name};", f"visitor.{how}({title});"
    if is_mandatory:
        return f"{cpp} {name}{{}};", f"visitor.Mandatory({title});"
    if default is not None:
        kind = spec.by_name.get(field.get("type"))
        choices = spec.choices(kind) if kind is not None and spec.is_enum(kind) else None
        value = literal(cpp, default, choices)
        return f"{cpp} {name} = {value};", f"visitor.Default({title}, {cpp}{{{value}}});"
    return f"std::optional<{cpp}> {name};", f"visitor.Optional({title});"


def struct(spec, kind):
    name = camel(kind.get("name"))
    lines = [field_lines(spec, field) for field in spec.children(kind, "field")]
    yield f"struct {name} {{"
    yield f'  static constexpr std::string_view kName = "{kind.get("name")}";'
    yield f"  static constexpr std::uint64_t kDescriptor = 0x{spec.code(kind):x};"
    yield f"  static constexpr bool kIsWhole = {'true' if kind.get('name') in WHOLE else 'false'};\n"
    yield from (f"  {declared}" for declared, _ in lines)
    yield f"\n  friend bool operator==(const {name}&, const {name}&) = default;"
    yield "  template <typename Visitor, typename Self>"
    yield f"  static void Visit({'Visitor& visitor, Self& self' if lines else 'Visitor&, Self&'}) {{"
    yield from (f"    {visited}" for _, visited in lines)
    yield "  }\n};\n"


def variants(spec, done, words):
    """Those variants whose types are all complete, and that were not before."""
    complete = {camel(kind.get("name")) for kind in done} | set(PRIMITIVES.values())
    for word in list(words):
        alternatives = spec.alternatives(word)
        if set(alternatives) <= complete:
            words.remove(word)
            yield f"using {spec.variant(word)} = std::variant<{', '.join(alternatives)}>;\n"


def header(spec):
    yield "// Made by generate_types.py out of the official XML. What it is for stands in composite.h.\n#pragma once\n"
    yield from ("#include <array>", "#include <cstdint>", "#include <optional>", "#include <string>",
                "#include <string_view>", "#include <variant>", "#include <vector>\n")
    yield '#include "broker/doors/amqp/codec/reader.h"'
    yield '#include "broker/doors/amqp/codec/value.h"'
    yield '#include "broker/doors/amqp/codec/writer.h"'
    yield '#include "broker/doors/amqp/types/choices.h"\n'
    yield "namespace wharf::amqp {\n"
    for kind in spec.types:
        if kind.get("class") == "restricted" and spec.choices(kind):
            yield from enum(spec, kind) if spec.is_enum(kind) else constants(spec, kind)
    yield "namespace descriptor {"
    for kind in spec.types:
        if spec.code(kind) is not None:
            yield f"inline constexpr std::uint64_t k{camel(kind.get('name'))} = 0x{spec.code(kind):x};"
    yield "}\n"
    words, done = spec.words() + list(FRAMES), []
    yield from variants(spec, done, words)
    for kind in spec.in_order():
        yield from struct(spec, kind)
        done.append(kind)
        yield from variants(spec, done, words)
    for kind in spec.composites:
        name = camel(kind.get("name"))
        yield f"// With its descriptor; and its fields alone, where the descriptor was read.\n" \
              f"void Read(Reader& reader, {name}& out);\nvoid ReadFields(Reader& reader, {name}& out);\n" \
              f"void Write(Writer& writer, const {name}& value);\nstd::string TextOf(const {name}& value);"
    for name in FRAMES.values():
        yield f"void Read(Reader& reader, {name}& out);"
    yield "std::string TextOf(const DeliveryState& state);"
    yield "\n// Of the symbol that stands for a descriptor's number; 0 if there is none."
    yield "std::uint64_t DescriptorOf(std::string_view symbol);\n"
    yield "}  // namespace wharf::amqp"


def source(spec, include):
    yield f'#include "{include}"\n'
    yield '#include "broker/doors/amqp/types/composite.h"'
    yield '#include "broker/doors/amqp/types/composite_text.h"\n\nnamespace wharf::amqp {\n'
    yield "std::uint64_t DescriptorOf(std::string_view symbol) {"
    for kind in spec.types:
        if spec.code(kind) is not None:
            yield f'  if (symbol == "{spec.symbol(kind)}") return 0x{spec.code(kind):x};'
    yield "  return 0;\n}\n"
    for kind in spec.composites:
        name = camel(kind.get("name"))
        yield f"void Read(Reader& reader, {name}& out) {{ ReadComposite(reader, out); }}"
        yield f"void ReadFields(Reader& reader, {name}& out) {{ ReadFieldsOf(reader, out); }}"
        yield f"void Write(Writer& writer, const {name}& value) {{ WriteComposite(writer, value); }}"
        yield f"std::string TextOf(const {name}& value) {{ return TextOfComposite(value); }}"
    for name in FRAMES.values():
        yield f"void Read(Reader& reader, {name}& out) {{ ReadOneOf(reader, out); }}"
    yield "std::string TextOf(const DeliveryState& state) { return TextOfField(state); }"
    yield "\n}  // namespace wharf::amqp"


def main():
    folder, out_header, out_source = map(pathlib.Path, sys.argv[1:])
    spec = Specification(folder)
    include = str(out_header)[str(out_header).rindex("broker/"):]
    out_header.write_text("\n".join(header(spec)) + "\n")
    out_source.write_text("\n".join(source(spec, include)) + "\n")


if __name__ == "__main__":
    main()
