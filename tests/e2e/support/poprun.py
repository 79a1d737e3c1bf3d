"""Starts programs as several instances, on a machine that may have fewer cores and no network."""

import os
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77
ENVIRONMENT = {
    **os.environ,
    "IPUMODEL_THREADS": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}


def require(binaries):
    """Ends the test with a word where Open MPI is missing; as failed if POPSCOPE_REQUIRE_MPI is set."""
    library = pathlib.Path(binaries).parent / "lib/libpopdist_mpi.so"
    if not shutil.which("mpirun") or not library.exists():
        print("Open MPI is not installed, or was not when the engine was built: run scripts/setup --mpi")
        sys.exit(1 if os.environ.get("POPSCOPE_REQUIRE_MPI") else SKIPPED)


def start(binaries, instances, replicas, *program, out, err, **variables):
    """The process of mpirun, which ends with the program; it writes to two files, since a pipe would have to be read."""
    return subprocess.Popen(
        [f"{binaries}/poprun", "--num-instances", str(instances), "--num-replicas", str(replicas), *map(str, program)],
        env={**ENVIRONMENT, **variables}, stdout=out, stderr=err)
