#!/usr/bin/env python3
"""Checks that includes and link lines follow the arrows between the rooms, and
that internals of the engine are in namespace ipumodel.

    scripts/check_includes.py [ROOT]

Prints one line per violation and exits with 1 if there are any. The table
below is the one of docs/architecture.md.
"""

import collections
import pathlib
import re
import sys

POPLAR = "Poplar"
STANDARD = "the standard library"
SYSTEM = "POSIX"
OTHER = {
    "protobuf": r"google/protobuf/|.*\.pb\.h$",
    "zlib": r"(zlib|libdeflate)\.h$",
    "CLI11": r"CLI/",
    "cairo": r"cairo",
    "libpng": r"png\.h$",
    "libclang": r"clang-c/",
    "Highway": r"hwy/",
    "Open MPI": r"mpi\.h$",
    "RE2": r"re2/",
    "GoogleTest": r"gtest/|gmock/",
    "Google Benchmark": r"benchmark/",
}
POPLAR_HEADERS = r"(poplar|poputil|popops|poplin|popnn|poprand|popsparse|popfloat|gcl|gccs|popdist|pva|pvti)/"
# What a tile has besides Poplar's own headers; <print.h> and the ipu_ headers come with popc.
DEVICE_HEADERS = r"(algorithm|array|cassert|cmath|cstdint|cstddef|cstring|limits|tuple|type_traits|utility|print\.h|ipu.*)$"
THREADS = r"(thread|future|pthread\.h)$"  # starting them; a class may still be safe to share
FILES = r"(fstream|filesystem)$"

# rooms: what may be included of this repository; libraries: what else; never: standard headers that may not.
Room = collections.namedtuple("Room", "rooms libraries never", defaults=((), (), None))
LIBRARY_ROOMS = ("codelets", "graph", "outfeed", "summary", "text")
# The rooms of host/, from the ground up: each may include those before it.
HOST_ROOMS = ("terminal", "shell", "metrics", "data", "pictures", "run", "executable", "graph_page", "callbacks",
              "events/reading", "events/printing", "events/writing", "events", "plan/options", "plan/presets", "plan",
              "record", "compare", "report", "train/model", "train/state", "train/watch", "train", "commands")
OUTFEED_ROOMS = ("outfeed/rules", "outfeed/control", "outfeed/frames", "outfeed/health", "outfeed/program", "outfeed/compare",
                 "outfeed/sinks", "outfeed/drain", "outfeed/checks", "outfeed/checks/kinds")
EVERY_ROOM = LIBRARY_ROOMS + OUTFEED_ROOMS + ("host", *(f"host/{room}" for room in HOST_ROOMS))
HOST_LIBRARIES = (POPLAR, STANDARD, SYSTEM, "protobuf", "zlib", "cairo", "Highway")
COMMAND_LINE_ROOMS = ("terminal", "shell", "events/reading", "events/writing", "events", "commands")  # and main.cpp: these parse options
# The rooms of the engine, from the ground up: each may include those before it.
POPLAR_ROOMS = ("system", "base", "values", "options", "device", "view", "codelet", "graph", "vertex", "estimate", "program",
                "instances", "run", "plan", "operators", "profile", "engine")
POPLIBS_ROOMS = ("poputil", "popops/expr", "popops", "poplin", "poplin/matmul", "poplin/conv", "popnn", "poprand", "gcl")
ENGINE_ROOMS = ("pva", *(f"poplar/{room}" for room in POPLAR_ROOMS), *POPLIBS_ROOMS, "popdist")
ENGINE = ("ipumodel", "ipumodel/include", *(f"ipumodel/{room}" for room in ENGINE_ROOMS))


def host_rooms():
    rooms = LIBRARY_ROOMS + OUTFEED_ROOMS + ("host",)  # host/command.hpp is below all of them
    for name in HOST_ROOMS:
        rooms += (f"host/{name}",)
        yield f"host/{name}", Room(rooms, HOST_LIBRARIES + (("CLI11",) if name in COMMAND_LINE_ROOMS else ()))


def engine_rooms():
    rooms = ("ipumodel/poplar/base",)  # which pva needs too
    for name in ENGINE_ROOMS:
        rooms += (f"ipumodel/{name}",)
        yield f"ipumodel/{name}", Room(rooms, (POPLAR, STANDARD, SYSTEM, "Highway"))


TABLE = {
    "codelets": Room(("codelets",), (POPLAR, STANDARD)),
    "graph": Room(("graph", "codelets"), (POPLAR, STANDARD, SYSTEM), f"{THREADS}|{FILES}"),
    "summary": Room(("summary",), (STANDARD, SYSTEM, "protobuf", "zlib", "Highway"), THREADS),
    "text": Room(("text", "summary"), (STANDARD, SYSTEM), f"{THREADS}|{FILES}"),
    "outfeed": Room(("outfeed", *OUTFEED_ROOMS, "graph", "summary", "text", "codelets"), (POPLAR, STANDARD, SYSTEM), FILES),
    "outfeed/rules": Room(("outfeed/rules", "graph", "summary", "text", "codelets"), (STANDARD, SYSTEM, "RE2"),
                          f"{THREADS}|{FILES}"),
    "outfeed/control": Room(("outfeed", "outfeed/rules", "outfeed/control", "text"), (STANDARD, SYSTEM), FILES),
    "outfeed/frames": Room(("outfeed", "outfeed/rules", "outfeed/frames"), (STANDARD,), f"{THREADS}|{FILES}"),
    "outfeed/health": Room(("outfeed", "outfeed/rules", "outfeed/health", "graph", "summary", "text"), (STANDARD,),
                           f"{THREADS}|{FILES}"),
    "outfeed/program": Room(("outfeed", "outfeed/rules", "outfeed/control", "outfeed/frames", "outfeed/health",
                            "outfeed/program", "graph", "text", "codelets"), (POPLAR, STANDARD), f"{THREADS}|{FILES}"),
    "outfeed/compare": Room(("outfeed", "outfeed/rules", "outfeed/compare", "graph", "summary", "text", "codelets"), (STANDARD,),
                            f"{THREADS}|{FILES}"),
    "outfeed/sinks": Room(("outfeed", "outfeed/rules", "outfeed/control", "outfeed/health", "outfeed/compare", "outfeed/sinks",
                          "summary", "text"), (STANDARD, SYSTEM), THREADS),
    "outfeed/drain": Room(("outfeed", "outfeed/rules", "outfeed/control", "outfeed/frames", "outfeed/health", "outfeed/program",
                          "outfeed/sinks", "outfeed/drain", "graph", "summary", "text", "codelets"), (POPLAR, STANDARD), FILES),
    "outfeed/checks": Room(("outfeed", *OUTFEED_ROOMS, "graph", "summary", "text"), (STANDARD,), f"{THREADS}|{FILES}"),
    "outfeed/checks/kinds": Room(("outfeed/rules", "outfeed/checks", "outfeed/checks/kinds", "text"), (STANDARD,),
                                 f"{THREADS}|{FILES}"),
    "host": Room(EVERY_ROOM, HOST_LIBRARIES + ("CLI11",)),
    **dict(host_rooms()),
    "ipumodel": Room(ENGINE, (POPLAR, STANDARD, SYSTEM, "libclang", "Highway")),
    **dict(engine_rooms()),
    "ipumodel/popdist/mpi": Room(ENGINE, (POPLAR, STANDARD, SYSTEM, "Open MPI")),
    "ipumodel/poprun": Room(("ipumodel/poprun", "ipumodel/poplar/system"), (STANDARD, SYSTEM, "CLI11")),
    "ipumodel/include": Room(("ipumodel/include",), (POPLAR, STANDARD)),
    "tests": Room(EVERY_ROOM + ENGINE + ("tests",), None),
    "benchmarks": Room(EVERY_ROOM + ENGINE + ("tests", "benchmarks"), None),
}
SOURCES = {".cpp", ".hpp", ".h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')
NAMESPACE = re.compile(r"namespace\s*([\w:]*)\s*\{")
CLASS = re.compile(r"(?:class|struct|enum class)\s+(\w+)")
LINK_LINE = re.compile(r"target_link_libraries\s*\(([^)]*)\)", re.DOTALL)


def room_of(path):
    """The room of a path relative to the root: the longest entry of the table that holds it, or None."""
    holders = [room for room in TABLE if path.parts[: len(room.split("/"))] == tuple(room.split("/"))]
    return max(holders, key=len, default=None)


def room_of_quoted(root, source, name):
    """The room that a quoted include enters, or None if it is no file of this repository."""
    for base in (source.parent, root, root / "ipumodel"):
        found = (base / name).resolve()
        if found.is_file() and root in found.parents:
            return room_of(found.relative_to(root))
    return room_of(pathlib.PurePath(name))  # a generated header


def library_of(name):
    if re.match(POPLAR_HEADERS, name):
        return POPLAR
    for library, pattern in OTHER.items():
        if re.match(pattern, name):
            return library
    return SYSTEM if name.endswith(".h") else STANDARD


def include_error(root, source, room_name, quote, name):
    room = TABLE[room_name]
    entered = room_of_quoted(root, source, name) if quote == '"' else None
    if entered is not None:
        if entered not in room.rooms:
            return f'{room_name}/ may not include "{name}" of {entered}/'
        return None
    if room.libraries is None:
        return None
    library = library_of(name)
    if room_name == "codelets" and library != POPLAR and not re.match(DEVICE_HEADERS, name):
        return f"codelets/ may not include <{name}>: a tile does not have it"
    if library not in room.libraries:
        return f"{room_name}/ may not include <{name}> of {library}"
    if room.never and re.match(room.never, name):
        return f"{room_name}/ may not include <{name}>"
    return None


def include_errors(root):
    tops = {room.split("/")[0] for room in TABLE}
    for source in sorted(path for top in tops for path in (root / top).rglob("*")):
        if source.suffix not in SOURCES:
            continue
        room = room_of(source.relative_to(root))
        for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            error = match and include_error(root, source, room, *match.groups())
            if error:
                yield f"{source.relative_to(root)}:{number}: {error}"


def link_errors(root):
    for name, room in TABLE.items():
        lists = root / name / "CMakeLists.txt"
        if room.libraries is None or not lists.is_file():
            continue
        for match in LINK_LINE.finditer(lists.read_text(encoding="utf-8")):
            for linked in re.findall(r"popscope::(\w+)", match.group(1)):
                allowed = POPLAR in room.libraries if linked == "sdk" else linked in room.rooms
                if not allowed:
                    yield f"{name}/CMakeLists.txt: {name}/ may not link popscope::{linked}"


def classes_of_public_headers(root):
    """The classes that public headers name without saying what they are."""
    for header in (root / "ipumodel" / "include").rglob("*.hpp"):
        yield from re.findall(r"^\s*(?:class|struct) (\w+);", header.read_text(encoding="utf-8"), re.MULTILINE)


def namespace_errors(root):
    """Internal headers of the engine open no other namespace, but to name a class or to define one that a public header names."""
    public = set(classes_of_public_headers(root))
    for header in sorted((root / "ipumodel").rglob("*.hpp")):
        if "include" in header.relative_to(root).parts:  # public headers, and those of codelets
            continue
        opened = None  # the outermost namespace
        for number, line in enumerate(header.read_text(encoding="utf-8").splitlines(), 1):
            start = NAMESPACE.match(line)
            if start and opened is None:
                opened = start.group(1)
            elif line.startswith("} // namespace") and line.split()[-1] == (opened or "namespace"):
                opened = None
            elif opened is not None and opened.split("::")[0] != "ipumodel" and re.match(r"(?!public:|protected:|private:)[A-Za-z]", line) and not start:
                named = CLASS.match(line)
                if not named or (not line.endswith(";") and named.group(1) not in public):
                    yield f"{header.relative_to(root)}:{number}: internals are in namespace ipumodel, not {opened or 'a nameless one'}"
                    break


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    errors = [*include_errors(root), *link_errors(root), *namespace_errors(root)]
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
