"""Usage: freestanding_test.py CLANG++ SOURCE_DIR

Codelets run on a tile: 32-bit registers, single precision, no operating system and 624 KiB of memory. No compiler for
tiles is at hand, so they are compiled for a processor that is alike in this: RISC-V of 32 bits with instructions for
float and half, without a standard library. What the compiler would have to call is then an undefined symbol, and what it
computes in is in its intermediate code.
"""
import os
import re
import struct
import subprocess
import sys
import tempfile

TILE_BYTES = 624 * 1024
WORKERS = 6
CALLED_BY_COMPILERS = {"memcpy", "memset"}
FLAGS = ["--target=riscv32", "-march=rv32imf_zfh", "-menable-experimental-extensions", "-mabi=ilp32f", "-ffreestanding",
         "-nostdlib", "-nostdinc", "-fno-exceptions", "-fno-math-errno", "-std=c++17", "-O3",
         "-Wall", "-Wextra", "-Wdouble-promotion", "-Werror"]
SHARE_OF_CODE = 0.04    # of a tile, at most, for a vertex and what it calls
SHARE_OF_STACKS = 0.03  # for the deepest stacks of all workers


def elf_symbols(path):
    """(name, size, is_defined) of a 32-bit little-endian ELF object."""
    data = open(path, "rb").read()
    assert data[:6] == b"\x7fELF\x01\x01", "not a 32-bit ELF object"
    offset, = struct.unpack_from("<I", data, 32)
    entry, count = struct.unpack_from("<HH", data, 46)
    sections = [struct.unpack_from("<10I", data, offset + i * entry) for i in range(count)]
    for kind, _, _, begin, size, link in (s[1:7] for s in sections):
        if kind != 2:  # SHT_SYMTAB
            continue
        names = sections[link][4]
        for at in range(begin + 16, begin + size, 16):
            name, _, length, _, _, section = struct.unpack_from("<IIIBBH", data, at)
            text = data[names + name:data.index(b"\0", names + name)].decode()
            if text and not text.startswith(".L"):
                yield text, length, section != 0


def functions(ir):
    """Name -> lines of its body."""
    found = {}
    for match in re.finditer(r'^define [^@]*@"?([\w.$]+)"?\(.*?\{\n(.*?)^\}', ir, re.M | re.S):
        found[match[1]] = match[2].splitlines()
    return found


def wide_arithmetic(lines):
    """Lines that compute in double or in 64 bits. Constant sizes of intrinsic functions are not computed."""
    for line in lines:
        if re.search(r"\bdouble\b|\bfp128\b|\bi(64|128)\b", line) and not re.search(
                r"call void @llvm\.(lifetime|mem(cpy|move|set))\.[^(]*\(.*\bi64 \d+,", line):
            yield line.strip()


def deepest(function, calls, stacks, above=()):
    """Bytes of stack of a function and those that it calls, in the worst case."""
    assert function not in above, "recursion: " + " -> ".join(above + (function,))
    return stacks.get(function, 0) + max(
        (deepest(f, calls, stacks, above + (function,)) for f in calls.get(function, ())), default=0)


def reachable(function, calls):
    seen, waiting = set(), [function]
    while waiting:
        f = waiting.pop()
        if f not in seen:
            seen.add(f)
            waiting += calls.get(f, ())
    return seen


def vertex_name(symbol):
    return subprocess.run(["c++filt", symbol], capture_output=True, text=True, check=True).stdout.strip() \
        .replace("popscope::", "").replace("(StatsTier)", "tier ").replace("::compute()", "").replace("_Float16", "half")


def with_all_vertices(source_dir, codelet):
    """A source from which every vertex is compiled: unlike popc, a compiler leaves out what nobody calls."""
    path = os.path.join(source_dir, "codelets", codelet)
    plain = re.findall(r"^class (\w+) : public poplar::Vertex", open(path).read(), re.M)
    kept = [f"extern const auto keep{name} = &popscope::{name}::compute;" for name in plain]
    return "\n".join([f'#include "{path}"', *kept, ""])


def check(compiler, source_dir, codelet, directory):
    """(vertex, code bytes, stack bytes) of each vertex, and the failures."""
    base = os.path.join(directory, os.path.splitext(codelet)[0])
    include = ["-I", os.path.join(os.path.dirname(os.path.abspath(__file__)), "freestanding"), "-I", source_dir]
    with open(base + ".cpp", "w") as source:
        source.write(with_all_vertices(source_dir, codelet))
    command = [compiler, *FLAGS, *include, base + ".cpp"]
    subprocess.run([*command, "-fstack-usage", "-c", "-o", base + ".o"], check=True)
    subprocess.run([*command, "-emit-llvm", "-S", "-o", base + ".ll"], check=True)

    failures, sizes = [], {}
    for name, size, is_defined in elf_symbols(base + ".o"):
        if not is_defined and name not in CALLED_BY_COMPILERS:
            failures.append(f"{codelet} calls {name}, which no tile has")
        sizes[name] = size
    bodies = functions(open(base + ".ll").read())
    calls = {}
    for name, lines in bodies.items():
        calls[name] = {f for line in lines for f in re.findall(r'\bcall [^@]*@"?([\w.$]+)', line) if f in bodies}
        failures += [f"{codelet}: {name} computes in 64 bits: {line}" for line in wide_arithmetic(lines)]
        failures += [f"{codelet}: {name} calls by pointer: {line.strip()}" for line in lines
                     if re.search(r"\bcall [^@]*%\S+\(", line) and "@" not in line]
    stacks = {}
    for line in open(base + ".su"):
        place, size, kind = line.rstrip().split("\t")
        stacks[place.rsplit(":", 1)[1]] = int(size)
        if kind != "static":
            failures.append(f"{codelet}: the stack of {place} is {kind}")
    vertices = []
    for name in bodies:
        if name.endswith("7computeEv"):
            code = {f: sizes[f] for f in reachable(name, calls)}
            vertices.append((vertex_name(name), code, deepest(name, calls, stacks)))
    if not vertices:
        failures.append(f"{codelet} has no vertex")
    return vertices, failures


def main():
    compiler, source_dir = sys.argv[1:]
    codelets = sorted(f for f in os.listdir(os.path.join(source_dir, "codelets")) if f.endswith(".cpp"))
    failures, code, deepest_stack = [], {}, 0
    print(f"{'vertex':<40}{'code':>8}{'stack':>8}  bytes")
    with tempfile.TemporaryDirectory() as directory:
        for codelet in codelets:
            vertices, found = check(compiler, source_dir, codelet, directory)
            failures += found
            for vertex, functions_of, stack in vertices:
                size = sum(functions_of.values())
                print(f"{vertex:<40}{size:>8,}{stack:>8,}")
                if size > SHARE_OF_CODE * TILE_BYTES:
                    failures.append(f"the code of {vertex} takes more than {SHARE_OF_CODE:.0%} of a tile")
                code.update(functions_of)
                deepest_stack = max(deepest_stack, stack)
    total, stacks = sum(code.values()), WORKERS * deepest_stack
    print(f"all vertices: {total:,} bytes of code, {total / TILE_BYTES:.1%} of a tile's {TILE_BYTES:,};"
          f" {WORKERS} stacks of {deepest_stack:,} bytes, {stacks / TILE_BYTES:.1%}")
    if stacks > SHARE_OF_STACKS * TILE_BYTES:
        failures.append(f"the stacks take more than {SHARE_OF_STACKS:.0%} of a tile")
    for failure in failures:
        print("FAILED:", failure, file=sys.stderr)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
