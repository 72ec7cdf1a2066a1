"""points: finds the places of faults in what libclang reads, one unit of the release build after the other.

The syntax tree says what a stretch of code is; where exactly its parts lie is read from the text. Only what is spelled
in the file counts, nothing that a macro made.
"""

import hashlib
import json
import os
import re
import shlex
import sys

import clang.cindex
from clang.cindex import CursorKind as Kind
from clang.cindex import TypeKind

import faults
import text

FUNCTIONS = {Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.CONSTRUCTOR, Kind.DESTRUCTOR, Kind.CONVERSION_FUNCTION,
             Kind.FUNCTION_TEMPLATE}
LOOPS = {Kind.FOR_STMT, Kind.WHILE_STMT, Kind.CXX_FOR_RANGE_STMT, Kind.DO_STMT}
INTEGERS = {TypeKind.SHORT, TypeKind.USHORT, TypeKind.INT, TypeKind.UINT, TypeKind.LONG, TypeKind.ULONG,
            TypeKind.LONGLONG, TypeKind.ULONGLONG}
# Nothing inside these runs, or must be known to the compiler.
FIXED = {Kind.PARM_DECL, Kind.STATIC_ASSERT, Kind.ENUM_DECL, Kind.TYPE_REF, Kind.TEMPLATE_REF, Kind.NAMESPACE_REF,
         Kind.TYPE_ALIAS_DECL}
# Of these the order of arguments is no matter.
SYMMETRIC = {"min", "max", "swap", "equal"}
CONSTANT = re.compile(r"\b(?:constexpr|consteval|constinit)\b")


def whole(cursor):
    """(begin, end) of a cursor in its file."""
    return cursor.extent.start.offset, cursor.extent.end.offset


def bare(cursor):
    """What is left of an expression without conversions that nobody wrote."""
    while cursor.kind == Kind.UNEXPOSED_EXPR:
        children = list(cursor.get_children())
        if len(children) != 1 or whole(children[0]) != whole(cursor):
            break
        cursor = children[0]
    return cursor


def value_of(cursor):
    """What a named field is given; all of any other expression."""
    children = list(cursor.get_children())
    return children[-1] if children and children[0].kind == Kind.MEMBER_REF else cursor


def type_of(cursor):
    return cursor.type.get_canonical().kind


def is_filled(parameter):
    """Whether a function writes into what it is given there."""
    given = parameter.type.get_canonical()
    return given.kind == TypeKind.LVALUEREFERENCE and not given.get_pointee().is_const_qualified()


def plain_type(cursor):
    """The name of the type of what was written; of a value, const or not is the same."""
    of = bare(value_of(cursor)).type.get_canonical()
    if of.kind in (TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE):
        of = of.get_pointee()
    return of.spelling if of.kind == TypeKind.POINTER else of.spelling.removeprefix("const ")


def name_of(cursor):
    words = [cursor.spelling]
    parent = cursor.semantic_parent
    while parent is not None and parent.kind in (Kind.CLASS_DECL, Kind.STRUCT_DECL, Kind.CLASS_TEMPLATE):
        words.insert(0, parent.spelling)
        parent = parent.semantic_parent
    return "::".join(words)


class File:
    """One file of ours: its text, and what was found in it."""

    def __init__(self, root, path):
        self.path = path
        self.source = text.read(os.path.join(root, path))
        self.code = text.masked(self.source)
        self.macros = text.macros(self.code)
        self.make = faults.Maker(path, self.source, self.code)
        self.found = {}
        self.constants = set()  # Functions and constants that are known to the compiler.

    def add(self, fault):
        if fault:
            self.found.setdefault((fault.kind, fault.changes), fault)

    def is_spelled(self, begin, end):
        return 0 <= begin < end and not any(begin < last and first < end for first, last in self.macros)


class Finder:
    """Walks through one function of a file."""

    def __init__(self, file):
        self.file = file
        self.code = file.code
        self.make = file.make

    def visit(self, cursor, function):
        if cursor.kind in FIXED:
            return
        begin, end = whole(cursor)
        if cursor.kind == Kind.DECL_STMT and CONSTANT.search(self.code, begin, end):
            self.file.constants.add(f"{function}: {self.file.source[begin:end]}")
            return
        children = list(cursor.get_children())
        if cursor.kind == Kind.CASE_STMT:
            children = children[-1:]
        # What a macro makes begins where its name stands.
        is_spelled = not any(first <= begin < last for first, last in self.file.macros)
        if is_spelled:
            self.place(cursor, children, function)
        for child in children:
            self.visit(child, function)

    def place(self, cursor, children, function):
        begin, end = whole(cursor)
        if cursor.kind == Kind.COMPOUND_STMT:
            for index, child in enumerate(children):
                self.statement(child, function, alone=True, followed=index + 1 < len(children))
        elif cursor.kind == Kind.IF_STMT:
            self.branches(cursor, children, function)
        elif cursor.kind in LOOPS:
            self.loop(cursor, children, function)
        elif cursor.kind in (Kind.CASE_STMT, Kind.DEFAULT_STMT):
            self.statement(children[-1], function, alone=True, followed=True)
        elif cursor.kind == Kind.RETURN_STMT:
            self.returned(cursor, children, function)
        elif cursor.kind == Kind.CONDITIONAL_OPERATOR:
            self.choice(begin, end, function)
        elif cursor.kind == Kind.CALL_EXPR:
            self.arguments(cursor, function)
        # What one goes through, one after the other, is seldom meant to have an order.
        elif cursor.kind == Kind.INIT_LIST_EXPR and not self.code[:begin].endswith(" : "):
            self.neighbours(children, begin, end, function)
        if cursor.kind.is_expression():
            self.expression(cursor, children, function)

    # Statements

    def statement(self, cursor, function, alone, followed):
        begin, end = whole(cursor)
        close = self.code.find(";", end)
        if end < 0 or close < 0 or self.code[end:close].strip():
            return
        end = close + 1
        if self.code.startswith("WHARF_RETURN_IF_ERROR(", begin):
            self.file.add(self.make.left_out(function, faults.CHECK, begin, end, alone))
            return
        kind = self.kind_of(bare(cursor))
        if kind and self.file.is_spelled(begin, end):
            self.file.add(self.make.left_out(function, kind, begin, end, alone))
        if followed and cursor.kind in (Kind.BREAK_STMT, Kind.CONTINUE_STMT):
            self.file.add(self.make.left_out(function, faults.JUMP, begin, end, alone))

    def kind_of(self, cursor):
        if cursor.kind == Kind.COMPOUND_ASSIGNMENT_OPERATOR:
            return faults.ASSIGNMENT
        if cursor.kind == Kind.CALL_EXPR:
            if not cursor.spelling.startswith("operator") or cursor.spelling == "operator()":
                return faults.CALL
            return faults.ASSIGNMENT if self.assigns(cursor) else None
        if cursor.kind == Kind.UNARY_OPERATOR:
            begin, end = whole(cursor)
            return faults.ASSIGNMENT if re.search(r"\+\+|--", self.code[begin:end]) else None
        if cursor.kind == Kind.BINARY_OPERATOR:
            return faults.ASSIGNMENT if self.assigns(cursor) else None
        # What has to be destroyed at the end of the statement, and is a call inside.
        children = list(cursor.get_children())
        return self.kind_of(children[0]) if cursor.kind == Kind.UNEXPOSED_EXPR and len(children) == 1 else None

    def assigns(self, cursor):
        found = text.loosest_operator(self.code, *whole(cursor))
        return cursor.spelling in ("operator++", "operator--") or bool(found and found[0].endswith("=")
                                                                      and text.RANK[found[0]] == 0)

    def branches(self, cursor, children, function):
        opening = self.code.find("(", whole(cursor)[0])
        closing = text.closing(self.code, opening)
        if not CONSTANT.search(self.code, whole(cursor)[0], opening):
            self.tested(opening + 1, closing, children, function)
        bodies = [child for child in children if whole(child)[0] > closing]
        for body in bodies:
            self.statement(body, function, alone=False, followed=False)
            self.way_out(body, function, has_else=len(bodies) > 1)

    def way_out(self, body, function, has_else):
        """The end of a branch that leaves early; what follows the branch then runs, too."""
        last = list(body.get_children())[-1:] if body.kind == Kind.COMPOUND_STMT else [body]
        if has_else or not last or last[0].kind not in (Kind.RETURN_STMT, Kind.CONTINUE_STMT, Kind.BREAK_STMT):
            return
        begin, end = whole(last[0])
        close = self.code.find(";", end - 1)
        rest = self.code[close + 1:]
        rest = rest.lstrip()[1:] if body.kind == Kind.COMPOUND_STMT else rest
        # Nothing follows: a function that must return something would not.
        if rest.lstrip().startswith("}") and self.code[begin:close].strip() != "return":
            if last[0].kind == Kind.RETURN_STMT:
                return
        if self.file.is_spelled(begin, end):
            alone = body.kind == Kind.COMPOUND_STMT
            self.file.add(self.make.left_out(function, faults.JUMP, begin, close + 1, alone))

    def loop(self, cursor, children, function):
        begin, end = whole(cursor)
        if cursor.kind == Kind.FOR_STMT:
            opening = self.code.find("(", begin)
            closing = text.closing(self.code, opening)
            parts = text.outside_brackets(self.code, opening + 1, closing)
            first = parts.find(";")
            second = parts.find(";", first + 1)
            self.tested(opening + 2 + first, opening + 1 + second, children, function)
        elif cursor.kind == Kind.WHILE_STMT:
            opening = self.code.find("(", begin)
            self.tested(opening + 1, text.closing(self.code, opening), children, function)
        if children and cursor.kind != Kind.DO_STMT:
            self.statement(children[-1], function, alone=False, followed=False)

    def tested(self, begin, end, children, function):
        """The condition between these, unless it declares something."""
        last = text.outside_brackets(self.code, begin, end).rfind(";")
        begin += last + 1
        begin += len(self.code[begin:end]) - len(self.code[begin:end].lstrip())
        end -= len(self.code[begin:end]) - len(self.code[begin:end].rstrip())
        declares = any(child.kind in (Kind.DECL_STMT, Kind.VAR_DECL) and begin <= whole(child)[0] < end
                       for child in children)
        if not declares:
            self.condition(begin, end, function)

    def condition(self, begin, end, function):
        """Unless turning the comparison round, which is another fault, does the same."""
        if self.file.is_spelled(begin, end) and not self.is_equality(begin, end):
            self.file.add(self.make.condition(function, begin, end))

    def is_equality(self, begin, end):
        found = text.loosest_operator(self.code, begin, end)
        return bool(found) and found[0] in ("==", "!=")

    def returned(self, cursor, children, function):
        if not children:
            return
        begin, end = whole(children[0])
        if not self.file.is_spelled(begin, end):
            return
        if type_of(children[0]) == TypeKind.BOOL and not self.is_equality(begin, end):
            self.file.add(self.make.flipped(function, begin, end))
        elif type_of(children[0]) in INTEGERS and type_of(bare(children[0])) in INTEGERS:
            self.number(bare(children[0]), function)

    # Expressions

    def choice(self, begin, end, function):
        found = text.loosest_operator(self.code, begin, end)
        question = text.outside_brackets(self.code, begin, end).find(" ?")
        if found and question > 0:
            self.condition(begin, begin + question, function)

    def expression(self, cursor, children, function):
        begin, end = whole(cursor)
        if not self.file.is_spelled(begin, end):
            return
        kind = type_of(cursor)
        if kind == TypeKind.BOOL:
            self.file.add(self.make.operator(function, begin, end))
            if cursor.kind == Kind.CXX_BOOL_LITERAL_EXPR:
                self.file.add(self.make.flipped(function, begin, end))
        elif kind in INTEGERS and cursor.kind == Kind.INTEGER_LITERAL and self.code[begin].isdigit():
            self.number(cursor, function)
        elif kind in INTEGERS and cursor.kind == Kind.BINARY_OPERATOR:
            found = text.loosest_operator(self.code, begin, end)
            if found and found[0] in "+-" and not any(bare(c).kind == Kind.INTEGER_LITERAL for c in children):
                self.number(cursor, function)

    def number(self, cursor, function):
        begin, end = whole(cursor)
        is_template_argument = self.code[begin - 1] == "<" or self.code[end:end + 1] == ">"
        if self.file.is_spelled(begin, end) and not is_template_argument:
            self.file.add(self.make.one_off(function, begin, end))

    def arguments(self, cursor, function):
        begin, end = whole(cursor)
        if not self.file.is_spelled(begin, end) or cursor.spelling.startswith("operator"):
            return
        arguments = [argument for argument in cursor.get_arguments() if argument is not None]
        declared = list(cursor.referenced.get_arguments()) if cursor.referenced else []
        is_written = [is_filled(parameter) for parameter in declared[:len(arguments)]]
        is_written += [False] * (len(arguments) - len(is_written))
        if cursor.spelling not in SYMMETRIC:
            self.neighbours(arguments, begin, end, function, is_written)
        for argument, is_filled_in in zip(arguments, is_written):
            inner = bare(argument)
            if type_of(argument) in INTEGERS and type_of(inner) in INTEGERS and not is_filled_in:
                if inner.kind not in (Kind.INTEGER_LITERAL, Kind.BINARY_OPERATOR) and begin < whole(inner)[0] < end:
                    self.number(inner, function)

    def value(self, begin, end):
        """Without the name of the field that it is for."""
        field = re.compile(r"\.\w+ = ").match(self.code, begin, end)
        return (field.end() if field else begin), end

    def neighbours(self, arguments, begin, end, function, is_written=()):
        for index, (left, right) in enumerate(zip(arguments, arguments[1:])):
            # Nobody could exchange what a function fills in and what it only reads.
            if len(set(is_written[index:index + 2])) > 1:
                continue
            first, second = self.value(*whole(left)), self.value(*whole(right))
            if not (begin < first[0] < first[1] <= second[0] < second[1] < end):
                continue
            between = self.code[first[1]:second[0]]
            said = self.code[slice(*first)], self.code[slice(*second)]
            if not re.fullmatch(r"\s*,\s*(?:\.\w+ = )?", between) or said[0][0] in "{[" or said[1][0] in "{[":
                continue
            if plain_type(left) == plain_type(right) and said[0] != said[1] and \
                    self.file.is_spelled(first[0], second[1]):
                self.file.add(self.make.exchanged(function, first, second))


def functions(cursor):
    """Every function below that has a body, and every constant."""
    for child in cursor.get_children():
        if child.kind in FUNCTIONS or child.kind == Kind.VAR_DECL:
            yield child
        elif child.kind in (Kind.NAMESPACE, Kind.CLASS_DECL, Kind.STRUCT_DECL, Kind.CLASS_TEMPLATE,
                            Kind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION, Kind.LINKAGE_SPEC):
            yield from functions(child)


def find_in(cursor, file):
    begin, end = whole(cursor)
    if cursor.kind == Kind.VAR_DECL:
        if CONSTANT.search(file.code, begin, end):
            file.constants.add(file.source[begin:end])
        return
    body = next((c for c in cursor.get_children() if c.kind == Kind.COMPOUND_STMT), None)
    if body is None or file.code[whole(body)[0]] != "{":
        return
    if CONSTANT.search(file.code, begin, whole(body)[0]):
        file.constants.add(f"{name_of(cursor)}: the whole function")
        return
    finder = Finder(file)
    function = name_of(cursor)
    for child in cursor.get_children():
        finder.visit(child, function)


def arguments_of(command):
    words = shlex.split(command)
    kept = []
    for index, word in enumerate(words):
        if re.match(r"-(?:[DI]|std=)", word):
            kept.append(word)
        elif word == "-isystem":
            kept += words[index:index + 2]
    return kept


def find(root, unit):
    """The faults in all files of ours that this unit of the build reads: {file: [...]}, and what no switch carries."""
    parsed = clang.cindex.Index.create().parse(unit["file"], args=arguments_of(unit["command"]))
    broken = [str(said) for said in parsed.diagnostics if said.severity >= clang.cindex.Diagnostic.Error]
    if broken:
        sys.exit(f"mutate: libclang does not understand {unit['file']}: {broken[0]}")
    files = {}

    def file_of(cursor):
        name = cursor.location.file
        path = os.path.relpath(name.name, root) if name else ""
        if not re.match(r"(?:broker|storage)/", path):
            return None
        if path not in files:
            files[path] = File(root, path)
        return files[path]

    for top in parsed.cursor.get_children():
        file = file_of(top)
        if file is None:
            continue
        found = [top] if top.kind in FUNCTIONS or top.kind == Kind.VAR_DECL else functions(top)
        for function in found:
            if file_of(function) is file:
                find_in(function, file)
    return {
        path: {"faults": [(f.function, f.kind, f.insertions, f.changes) for f in file.found.values()],
               "constants": sorted(file.constants)}
        for path, file in files.items()
    }


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def find_kept(root, unit, folder):
    """The same, kept in the folder for as long as none of these files, nor the finder, is another."""
    here = os.path.dirname(__file__)
    own = [digest(os.path.join(here, name)) for name in ("points.py", "faults.py", "text.py")]
    kept = os.path.join(folder, hashlib.sha256(unit["file"].encode()).hexdigest()[:16] + ".json")
    if os.path.exists(kept):
        with open(kept) as file:
            found = json.load(file)
        if found["finder"] == own and all(
                os.path.exists(os.path.join(root, path)) and digest(os.path.join(root, path)) == known
                for path, known in found["files"].items()):
            return found["found"]
    found = find(root, unit)
    with open(kept, "w") as file:
        json.dump({"finder": own, "files": {path: digest(os.path.join(root, path)) for path in found},
                   "found": found}, file)
    return found
