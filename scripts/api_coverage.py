#!/usr/bin/env python3
"""Keeps docs/poplar_api_coverage.md true: its supported rows are exactly the overloads that the public headers declare.

  scripts/api_coverage.py            check; lists what differs and fails
  scripts/api_coverage.py --write    rewrite the rows, keeping the notes and the rows of what is not supported
"""
import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "ipumodel" / "include"
TABLE = ROOT / "docs" / "poplar_api_coverage.md"
# Each is a folder of headers and the namespace of what they declare.
LIBRARIES = ("poplar", "poputil", "popops", "poplin", "popnn", "poprand", "gcl", "gccs", "popdist", "pva", "pvti")
# Read by codelets, which popc's own tests cover.
CODELET_HEADERS = {"Alignment", "FieldTypes", "HalfFloat", "InOutTypes", "Loops", "QuarterFloat", "StackSizeDefs",
                   "TileConstants", "VectorListTypes", "VectorTypes", "Vertex"}
FUNCTIONS = {"FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXConversionDecl"}
ROW = re.compile(r"^\| `([^`]+)` \| `([^`]+)` \| (yes|no) \| (.*) \|$")


def signature(qualified_type):
    """The parameters and what follows them, of clang's text for a function's type, without namespaces:
    "(Graph &, const Tensor &)"."""
    depth, begin = 0, 0
    end = qualified_type.rindex(")")
    for position in range(end, -1, -1):
        depth += {")": 1, "(": -1}.get(qualified_type[position], 0)
        if depth == 0:
            begin = position
            break
    text = re.sub(r"\b(?:\w+::)+", "", qualified_type[begin:])
    text = text.replace("(void)", "()").replace(" noexcept", "")
    text = re.sub(r"\bconst (\w+)(?=[,)])", r"\1", text)  # of a value, it is no part of the type
    return re.sub(r"\b(unsigned|long) int\b", r"\1", text)


def parse(include, library):
    """The syntax trees of the library's namespace, in the order of its headers."""
    headers = sorted(p for p in (include / library).rglob("*.hpp")
                     if p.stem not in CODELET_HEADERS and "#error" not in p.read_text(encoding="utf-8"))
    compiler = next((c for c in ("clang++-14", "clang++") if shutil.which(c)), None)
    if compiler is None:
        sys.exit("api_coverage: no clang++ found; run scripts/setup")
    source = "".join(f"#include <{header.relative_to(include)}>\n" for header in headers)
    result = subprocess.run(
        [compiler, "-std=c++17", f"-I{include}", "-x", "c++", "-fsyntax-only", "-Xclang", "-ast-dump=json", "-Xclang",
         f"-ast-dump-filter={library}", "-"], input=source, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit("api_coverage: " + result.stderr.strip())
    decoder, position, text = json.JSONDecoder(), 0, result.stdout
    while position < len(text):
        tree, position = decoder.raw_decode(text, position)
        yield tree
        while position < len(text) and text[position].isspace():
            position += 1


class Declarations:
    """Public functions by header, collected in the order clang prints them."""

    def __init__(self, include, library):
        self.include = include
        self.library = library
        self.file = ""  # clang prints a file only where it differs from the one before
        self.found = set()

    def see(self, location):
        for part in (location, location.get("spellingLoc", {}), location.get("expansionLoc", {})):
            self.file = part.get("file", self.file)

    def header(self):
        try:
            return str(Path(self.file).resolve().relative_to(self.include.resolve()))
        except ValueError:
            return None

    def walk(self, node, scope, public):
        kind, name = node.get("kind", ""), node.get("name", "")
        self.see(node.get("loc", {}))
        header = self.header()
        for end in ("begin", "end"):
            self.see(node.get("range", {}).get(end, {}))
        if node.get("isImplicit") or node.get("explicitlyDeleted") or not public or kind.endswith("SpecializationDecl"):
            self.skip(node)
            return
        if kind in FUNCTIONS:
            if header and scope[:1] == [self.library] and not name.startswith("~"):
                parameters = signature(node["type"]["qualType"])
                self.found.add((header, "::".join(scope[1:] + [re.sub(r"<.*>$", "", name)]) + parameters))
            self.skip(node)
            return
        inner = scope
        if kind in ("NamespaceDecl", "CXXRecordDecl", "ClassTemplateDecl") and name:
            inner = scope + [name] if kind != "ClassTemplateDecl" else scope
        open_access = node.get("tagUsed") != "class"
        for child in node.get("inner", []):
            if child.get("kind") == "AccessSpecDecl":
                self.see(child.get("loc", {}))
                self.skip(child)
                open_access = child["access"] == "public"
            else:
                self.walk(child, inner, open_access)

    def skip(self, node):
        for key in ("loc",):
            self.see(node.get(key, {}))
        for end in ("begin", "end"):
            self.see(node.get("range", {}).get(end, {}))
        for child in node.get("inner", []):
            self.skip(child)


def declared(include):
    found = set()
    for library in LIBRARIES:
        declarations = Declarations(include, library)
        for tree in parse(include, library):
            declarations.walk(tree, [], True)
        found |= declarations.found
    return found


def read_table():
    rows = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        match = ROW.match(line)
        if match:
            rows[match.group(1), match.group(2)] = (match.group(3), match.group(4))
    return rows


def write_table(rows):
    text = TABLE.read_text(encoding="utf-8")
    head = text[:text.index("| header |")]
    lines = ["| header | function | supported | known difference |", "|---|---|---|---|"]
    lines += [f"| `{header}` | `{name}` | {supported} | {note} |"
              for (header, name), (supported, note) in sorted(rows.items())]
    TABLE.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="rewrite the table")
    arguments = parser.parse_args()
    found = declared(INCLUDE)
    rows = read_table()
    if arguments.write:
        kept = {key: value for key, value in rows.items() if value[0] == "no" and key not in found}
        kept.update({key: ("yes", rows.get(key, ("", ""))[1]) for key in found})
        write_table(kept)
        return
    claimed = {key for key, value in rows.items() if value[0] == "yes"}
    wrong = {key for key in claimed - found} | {key for key in found - claimed}
    for header, name in sorted(wrong):
        state = "is declared but not listed as supported" if (header, name) in found else "is listed but not declared"
        print(f"docs/poplar_api_coverage.md: {name} of {header} {state}")
    if wrong:
        sys.exit("api_coverage: run scripts/api_coverage.py --write and fill in the notes")


if __name__ == "__main__":
    main()
