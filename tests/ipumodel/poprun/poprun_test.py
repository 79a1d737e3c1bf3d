#!/usr/bin/env python3
"""Programs of several instances, started by poprun over Open MPI on this machine.

    poprun_test.py BIN_DIR

Skipped with a word where Open MPI is missing; failed there if POPSCOPE_REQUIRE_MPI is set.
"""

import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(sys.argv.pop(1)).resolve()
SKIPPED = 77
# More instances than cores, as any user, with one thread each, and an end in any case.
ENVIRONMENT = {
    **os.environ,
    "IPUMODEL_THREADS": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}
LIMIT = 100  # seconds


def poprun(*arguments, **variables):
    """Runs poprun and returns its status and both outputs."""
    return subprocess.run([BIN / "poprun", *map(str, arguments)], env={**ENVIRONMENT, **variables}, timeout=LIMIT,
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def instances(count, replicas, *program, **variables):
    return poprun("--num-instances", count, "--num-replicas", replicas, BIN / "instance_program", *program, **variables)


def lines_by_instance(output):
    """The lines of each instance, without mpirun's tags."""
    lines = {}
    for rank, line in re.findall(r"^\[1,(\d+)\]<std(?:out|err)>:(.*)$", output, re.MULTILINE):
        lines.setdefault(int(rank), []).append(line)
    return lines


class Instances(unittest.TestCase):
    def succeed(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def test_every_layout_has_the_same_bits(self):
        results = []
        with tempfile.TemporaryDirectory() as directory:
            for count in (1, 2, 4):
                prefix = f"{directory}/{count}_"
                self.succeed(instances(count, 4, "cases", prefix))
                files = sorted(glob.glob(prefix + "*"))
                self.assertEqual(len(files), count)
                results.append(sorted(line for file in files for line in pathlib.Path(file).read_text().splitlines()))
        self.assertGreater(len(results[0]), 600)
        self.assertEqual(results[1], results[0])
        self.assertEqual(results[2], results[0])

    def test_host_memory_is_exchanged_in_every_type(self):
        for count in (2, 4):
            done = self.succeed(instances(count, count, "collectives"))
            self.assertEqual(lines_by_instance(done.stdout), {i: [f"ok {i}"] for i in range(count)})

    def test_all_instances_load_one_executable(self):
        with tempfile.TemporaryDirectory() as directory:
            done = self.succeed(instances(2, 4, "executable", f"{directory}/program"))
        self.assertEqual(lines_by_instance(done.stdout), {
            0: ["replica 0 of 0 has 6", "replica 1 of 0 has 6"],
            1: ["replica 2 of 1 has 6", "replica 3 of 1 has 6"]})


class Failures(unittest.TestCase):
    """Instance 2 of 4 fails in the middle of a run; the job ends, with its status.

    The others would wait for longer than this test may take, unless the test says how long.
    """

    def failed(self, how, status, timeout=10 * LIMIT):
        done = instances(4, 4, how, 2, timeout)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def test_an_exception_ends_the_job_with_the_status_of_the_instance(self):
        self.assertIn("instance 2: a planted fault", self.failed("throw", 4).stderr)

    def test_an_exit_status_is_that_of_the_job(self):
        self.failed("exit", 3)

    def test_a_signal_ends_the_job(self):
        self.failed("kill", 137)

    def test_an_instance_that_hangs_is_named(self):
        done = self.failed("hang", 4, timeout=4)
        self.assertRegex(done.stderr, r"instance [013]: instance [013] is still waiting for host sync after 4 seconds "
                                      r"\(option target.hostSyncTimeout\): instances? (\d, )*2(, \d)* did not come to "
                                      r"the start of program 0")

    def test_an_instance_that_leaves_early_is_named(self):
        done = self.failed("leave", 4, timeout=4)
        self.assertRegex(done.stderr, r"instances? (\d, )*2(, \d)* did not come to the start of program 0")

    def test_an_instance_in_another_program_is_told_on_all(self):
        done = self.failed("stray", 4)
        self.assertIn("the instances disagree", done.stderr)
        self.assertIn("instance 2 is at the start of program 1", done.stderr)
        self.assertIn("is at the start of program 0", done.stderr)

    def test_messages_of_some_instances_have_the_numbers_of_all(self):
        done = instances(4, 4, "disagree")
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, r"the instances disagree: instance (1 is at .* instance 3|3 is at .* instance 1) is at ")

    def test_a_decision_that_differs_is_told_on_all(self):
        done = self.failed("decide", 4)
        self.assertIn("control flow differs between instances", done.stderr)
        self.assertIn("'ripe' is 0 in instance 2", done.stderr)


class Launcher(unittest.TestCase):
    SHOW = ["sh", "-c", 'echo "$POPDIST_NUM_TOTAL_REPLICAS $POPDIST_NUM_LOCAL_REPLICAS $POPDIST_REPLICA_INDEX_OFFSET '
                        '$POPDIST_NUM_IPUS_PER_REPLICA $POPDIST_UNIFORM_REPLICAS_PER_INSTANCE '
                        '$POPDIST_LOCAL_INSTANCE_INDEX $IPUMODEL_DEVICES $POPDIST_EXECUTABLE_CACHE_PATH"']

    def test_each_instance_knows_its_place(self):
        done = poprun("--num-instances", 2, "--num-replicas", 4, "--ipus-per-replica", 2, "--executable-cache-path",
                      "a dir, 'quoted'", *self.SHOW)
        self.assertEqual(lines_by_instance(done.stdout), {0: ["4 2 0 2 1 0 4 a dir, 'quoted'"],
                                                          1: ["4 2 2 2 1 1 4 a dir, 'quoted'"]})

    def test_options_for_partitions_are_taken_and_said_to_do_nothing(self):
        done = poprun("-vv", "--num-instances=2", "--num-replicas=2", "--ipus-per-replica=1", "--numa-aware=no",
                      "--num-ilds=1", "--vipu-server-host=localhost", "--vipu-partition=p", "--vipu-server-timeout=600",
                      "--update-partition=yes", "--remove-partition", "no", "--reset-partition=no",
                      "--sync-type=ST_POD_NATIVE_DEFAULT", "--mpi-global-args=--tag-output --quiet",
                      "--mpi-local-args=-x ONE -x TWO", '--instance-mpi-local-args=1:-x THREE', "sh", "-c",
                      'echo "$ONE$TWO$THREE"', "--print-topology", "yes", ONE="1", TWO="2", THREE="3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(lines_by_instance(done.stdout), {0: ["123"], 1: ["123"]})
        self.assertIn("without meaning here, where IPUs have no partitions: --num-ilds, --vipu-server-host", done.stderr)
        command = re.search(r"\d\d:\d\d:\d\d\.\d{3} 1 POPRUN \[I\] Running command: (mpirun .*)", done.stderr).group(1)
        self.assertEqual(command.count("-x ONE -x TWO"), 2)
        self.assertEqual(command.count("-x THREE"), 1)
        self.assertIn("--tag-output --quiet -np 1", command)

    def test_the_output_of_one_instance_can_be_chosen(self):
        done = poprun("--num-instances", 3, "--num-replicas", 3, "--only-output-from-instance", 1, *self.SHOW)
        self.assertEqual(list(lines_by_instance(done.stdout)), [1])

    def test_a_word_that_mpirun_would_take_for_its_own_reaches_the_program(self):
        words = ["a b", ":", "$HOME", "'"]
        for options, told in (([], [0, 1]), (["--only-output-from-instance", 1], [1])):
            done = poprun("--num-instances", 2, "--num-replicas", 2, *options, "printf", "%s,", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            outputs = re.findall(r"\[1,(\d)\]<stdout>:([^[]*)", done.stdout)
            self.assertEqual(sorted(outputs), [(str(i), "".join(word + "," for word in words)) for i in told])

    def test_the_topology_is_a_table(self):
        done = poprun("--num-instances", 2, "--num-replicas", 4, "--print-topology=yes", "true")
        self.assertEqual(done.stdout.splitlines(), ["host       instance  replicas  IPUs",
                                                    "localhost  0         0-1       2",
                                                    "localhost  1         2-3       2"])

    def test_offline_there_is_no_ipu(self):
        done = poprun("--offline-mode", "on", "sh", "-c", "echo $IPUMODEL_DEVICES", IPUMODEL_DEVICES="8")
        self.assertEqual(lines_by_instance(done.stdout), {0: ["0"]})

    def test_hosts_share_the_instances(self):
        done = poprun("-v", "--num-instances", 4, "--num-replicas", 4, "--host", "node[0-1]", "--print-topology", "true",
                      PATH=str(BIN))  # where no mpirun is
        self.assertEqual(done.returncode, 127)
        self.assertIn("install openmpi-bin", done.stderr)
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()[1:]], ["node0", "node0", "node1", "node1"])
        self.assertEqual(re.findall(r"--host (\S+) .*?INSTANCE_INDEX=(\d)", done.stderr),
                         [("node0", "0"), ("node0", "1"), ("node1", "0"), ("node1", "1")])

    def test_closed_streams_do_not_become_pipes_of_mpirun(self):
        with tempfile.TemporaryDirectory() as directory:
            for closed in ("<&- >&-", "<&- >&- 2>&-"):
                command = f'exec "$0" --num-instances 2 --num-replicas 2 "$@" {closed}'
                each = 'echo $$; echo $$ >&2; echo > "$0/$POPDIST_REPLICA_INDEX_OFFSET"'
                done = subprocess.run(["sh", "-c", command, BIN / "poprun", "sh", "-c", each, directory], env=ENVIRONMENT,
                                      timeout=LIMIT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 0, closed + done.stderr)
                self.assertEqual(sorted(os.listdir(directory)), ["0", "1"], closed)
                for file in os.listdir(directory):
                    os.remove(f"{directory}/{file}")

    def test_a_wrong_command_line_is_one_line_and_status_2(self):
        for arguments, said in [
                (["--num-instances", 2, "--num-replicas", 3, "true"], "cannot be divided evenly"),
                (["--num-instance", 2, "true"], "unknown option '--num-instance'"),
                (["--num-instances", "two", "true"], "num-instances"),
                (["--only-output-from-instance", 1, "true"], "no instance 1"),
                (["--instance-mpi-local-args", "x", "true"], "must be <instance>:"),
                (["--host", "node[", "true"], "not a list of hosts"),
                (["--num-instances", 2, "--num-replicas", 2], "no program to run")]:
            done = poprun(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, r"\Apoprun: [^\n]*\n\Z")
            self.assertIn(said, done.stderr)

    def test_the_version_is_that_of_the_api(self):
        done = poprun("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"\Apoprun version \d+\.\d+\.\d+ \(ipumodel\)\n\Z")

    def test_more_instances_than_mpi_has_started_are_refused(self):
        done = subprocess.run([BIN / "instance_program", "collectives"], text=True, capture_output=True, timeout=LIMIT,
                              env={**ENVIRONMENT, "POPDIST_NUM_TOTAL_REPLICAS": "2", "POPDIST_NUM_LOCAL_REPLICAS": "1"})
        self.assertEqual(done.returncode, 4)
        self.assertIn("the environment says instance 0 of 2, the backend 0 of 1: start the program with poprun",
                      done.stderr)

    def test_a_slice_without_the_variables_of_poprun_is_refused(self):
        done = subprocess.run([BIN / "instance_program", "slice"], text=True, capture_output=True, timeout=LIMIT,
                              env=ENVIRONMENT)
        self.assertEqual(done.returncode, 4)
        self.assertIn("those of instance 1 of 2, but this is instance 0 of 1: start the program with poprun", done.stderr)

    def test_without_the_backend_more_than_one_instance_names_the_packages(self):
        with tempfile.TemporaryDirectory() as directory:  # libraries without it
            for library in (BIN.parent / "lib").glob("*.so"):
                if library.name != "libpopdist_mpi.so":
                    shutil.copy(library, directory)
            done = subprocess.run(
                [BIN / "instance_program", "collectives"], text=True, capture_output=True, timeout=LIMIT,
                env={**ENVIRONMENT, "LD_PRELOAD": f"{directory}/libpopdist.so", "POPDIST_NUM_TOTAL_REPLICAS": "2",
                     "POPDIST_NUM_LOCAL_REPLICAS": "1"})
        self.assertEqual(done.returncode, 4)
        self.assertIn("2 instances need Open MPI: install libopenmpi-dev and openmpi-bin", done.stderr)


if __name__ == "__main__":
    if not shutil.which("mpirun") or not (BIN.parent / "lib/libpopdist_mpi.so").exists():
        print("Open MPI is not installed, or was not when the engine was built: run scripts/setup --mpi")
        sys.exit(1 if os.environ.get("POPSCOPE_REQUIRE_MPI") else SKIPPED)
    unittest.main(verbosity=2)
