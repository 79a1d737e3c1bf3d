#!/usr/bin/env python3
"""TensorBoard's page Debugger V2 shows the health of a training: as TensorFlow's own reader, TensorBoard's routes and a
real browser see it.

    debugger_page_test.py POPSCOPE VENV CHROMIUM PICTURES

VENV is the environment that scripts/setup --debugger makes, CHROMIUM the browser that scripts/setup --browser installs.
PICTURES gets the screenshot of the page. Without either of the two the test reports itself as skipped, or as failed if
POPSCOPE_REQUIRE_TENSORBOARD is set.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import tensorboard_page
import tensorboard_server

POPSCOPE, VENV, CHROMIUM, PICTURES = (pathlib.Path(argument).absolute() for argument in sys.argv[1:5])
RUN = "__default_debugger_run__"
UPDATES = 32
ALERTS = 1000  # that TensorBoard keeps
CONCISE, FULL = 3, 4  # TensorDebugMode


def train(run, *options):
    return subprocess.run([POPSCOPE, "train", "--preset", "cnn", "--gradient-accumulation", "2", "--steps-per-epoch", "64",
                           "--run", run, "--debugger", *options], check=True, stdout=subprocess.PIPE, text=True).stdout


def read(run):
    """The run as TensorFlow reads it, and what its monitor of numbers that are not finite says."""
    from tensorflow.python.debug.lib import debug_events_monitors, debug_events_reader

    reader = debug_events_reader.DebugDataReader(f"logs/{run}")
    monitor = debug_events_monitors.InfNanMonitor(reader, limit=ALERTS)
    reader.update()
    return reader, monitor


def op_name(tensor):
    return tensor.replace(":0", "")


def samples():
    """What --inspect-json has written: op and update -> line, and the first tensor that was not finite."""
    lines = [json.loads(line) for line in pathlib.Path("samples.json").read_text().splitlines()]
    [first] = [line["first_not_finite"] for line in lines if "first_not_finite" in line]
    return {(op_name(line["name"]), line["update"]): line for line in lines if "name" in line}, first


def setUpModule():
    global SAID, READER, MONITOR, TRACES, SAMPLES, FIRST
    directory = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(directory.cleanup)
    os.chdir(directory.name)
    SAID = train("health", "--epochs", "1", "--precision", "half", "--learning-rate", "1e3", "--inspect-json", "samples.json",
                 "--tap", "kind:preactivation -> stats", "kind:activation -> alarm")
    SAMPLES, FIRST = samples()
    READER, MONITOR = read("health")
    TRACES = READER.graph_execution_traces()


def update_of(trace):
    # pylint: disable=protected-access
    return READER._reader.read_graph_execution_traces_event(trace.locator).step


def bad(trace):
    """-inf, +inf and NaN."""
    return trace.debug_tensor_value[2:5] if trace.tensor_debug_mode == CONCISE else trace.debug_tensor_value[5:8]


def bad_of(line):
    return (line["neg_inf"], line["pos_inf"], line["nan"])


class Reader(unittest.TestCase):
    """TensorFlow's reader finds what was measured."""

    def test_full_health_is_what_the_samples_say(self):
        stats = {key: line for key, line in SAMPLES.items() if line["kind"] == "preactivation"}
        seen = {(trace.op_name, update_of(trace)): trace for trace in TRACES if trace.tensor_debug_mode == FULL}
        self.assertEqual(set(seen), set(stats))
        self.assertEqual(len(seen), 4 * UPDATES)
        for key, line in stats.items():
            _, device, dtype, rank, *counts = seen[key].debug_tensor_value
            self.assertEqual((dtype, rank), (19, len(line["shape"])), key)  # DT_HALF
            self.assertEqual(READER.device_name_by_id(device), seen[key].device_name)
            negative = line["count"] - sum(bad_of(line)) - line["zero"] - line["positive"]
            self.assertEqual(counts, [line["count"], *bad_of(line), negative, line["zero"], line["positive"]], key)

    def test_an_alarm_stands_until_the_next(self):
        last = {trace.op_name: {} for trace in TRACES}
        for trace in TRACES:
            last[trace.op_name][update_of(trace)] = bad(trace)
        lines = {key: line for key, line in SAMPLES.items() if line["kind"] == "activation"}
        self.assertTrue(lines)
        for (name, update), line in lines.items():
            known = max(at for at in last[name] if at <= update)
            self.assertEqual(last[name][known], bad_of(line), (name, update))

    def test_tensors_that_no_rule_names_are_watched_too(self):
        names = {trace.op_name for trace in TRACES}
        self.assertLessEqual({"input", "conv_0/kernel", "conv_0/kernel_grad", "dense_preacts_grad"}, names)
        self.assertLessEqual(names, {op.op_name for op in READER.graph_op_digests()})

    def test_every_update_is_an_execution_with_the_elements_that_are_not_finite(self):
        executions = READER.executions()
        self.assertEqual([execution.op_type for execution in executions],
                         [f"__inference_update_{update}" for update in range(UPDATES)])
        for update, execution in enumerate(executions):
            least = [sum(counts) for counts in zip(*(bad_of(line) for (_, at), line in SAMPLES.items() if at == update))]
            for total, part in zip(execution.debug_tensor_values[0][2:], least):
                self.assertGreaterEqual(total, part)

    def test_the_first_alert_is_about_a_tensor_computed_from_finite_ones(self):
        first = TRACES[MONITOR.alerts()[0].graph_execution_trace_index]
        self.assertEqual((first.op_name, update_of(first)), (op_name(FIRST["tensor"]), FIRST["update"]))
        inputs = [name.split(":")[0] for op in READER.graph_op_digests() if op.op_name == first.op_name
                  for name in op.input_names]
        self.assertTrue(inputs)
        update = update_of(first)
        for name in inputs:
            before = [trace for trace in TRACES if trace.op_name == name and update_of(trace) <= update and
                      (update_of(trace) < update or TRACES.index(trace) < TRACES.index(first))]
            self.assertFalse(any(bad(before[-1])), f"{name}, of which {first.op_name} is computed")

    def test_stages_are_devices(self):
        self.assertEqual(set(READER.device_name_map().values()), {"/device:IPU:0", "/device:IPU:1"})
        self.assertEqual({trace.device_name for trace in TRACES}, {"/device:IPU:0", "/device:IPU:1"})

    def test_the_end_of_a_training_says_how_to_open_the_page(self):
        self.assertIn("tensorboard logs/health", SAID.replace("--logdir ", ""))
        self.assertIn("Debugger V2", SAID)


class Resumed(unittest.TestCase):
    def test_a_resumed_training_has_every_update_once(self):
        train("resumed", "--epochs", "1", "--quiet")
        train("resumed", "--epochs", "2", "--quiet", "--resume")
        reader, monitor = read("resumed")
        self.assertEqual([execution.op_type for execution in reader.executions()],
                         [f"__inference_update_{update}" for update in range(2 * UPDATES)])
        self.assertEqual(monitor.alerts(), [])
        train("resumed", "--epochs", "1", "--quiet", "--clean")
        self.assertEqual(read("resumed")[0].num_executions(), UPDATES)


class Page(tensorboard_page.PageTest):
    pictures = f"{PICTURES}/"

    @classmethod
    def setUpClass(cls):
        server = tensorboard_server.Server(VENV, "logs/health", "true")
        unittest.addModuleCleanup(server.stop)
        cls.begin(server, CHROMIUM)
        tensorboard_server.wait_for(lambda: cls.ask("runs") and cls.digests("execution") == UPDATES and
                                    cls.digests("graph_execution") == len(TRACES), server.output)

    @classmethod
    def ask(cls, route, **query):
        return cls.server.json(f"plugin/debugger-v2/{route}", run=RUN, **query)

    @classmethod
    def digests(cls, kind):
        return cls.ask(f"{kind}/digests", begin=0, end=0)["num_digests"]

    def first_bad(self):
        return TRACES[MONITOR.alerts()[0].graph_execution_trace_index]

    def test_routes_answer_what_the_reader_has(self):
        self.open("debugger-v2", "Debugging")
        alerts = self.ask("alerts", begin=0, end=-1)
        self.assertEqual(alerts["num_alerts"], len(MONITOR.alerts()))
        op = self.ask("graphs/op_info", graph_id="1", op_name="conv_1_preacts")
        self.assertEqual([entry["op_name"] for entry in op["inputs"]],
                         [name.split(":")[0] for digest in READER.graph_op_digests()
                          if digest.op_name == "conv_1_preacts" for name in digest.input_names])
        self.assertIn("conv_1_acts", [consumer["op_name"] for consumer in op["consumers"][0]])
        frame = self.ask("stack_frames/stack_frames", stack_frame_ids=op["stack_frame_ids"][0])["stack_frames"][0]
        lines = self.ask("source_files/file", index=0)["lines"]
        self.assertEqual(lines[frame[2] - 1], frame[3])
        self.assertTrue(frame[3].startswith("conv_1_preacts = preactivation("), frame)

    def test_timeline_alerts_and_the_first_bad_tensor(self):
        first = self.first_bad()
        self.open("debugger-v2", "Debugger V2", "Python Execution Timeline", f"({UPDATES})", str(len(MONITOR.alerts())),
                  f"Graph Executions ({len(TRACES)})")
        self.browser.click(".alert-type-name")  # goes to the first
        name = f"{first.op_name}:0"
        self.wait_for_texts(name)
        self.browser.evaluate(f"""find('graph-executions-component .tensor-name').find(
            (element) => element.textContent.trim() == {json.dumps(name)}).click()""")
        inputs = [entry["op_name"] for entry in self.ask("graphs/op_info", graph_id="1", op_name=first.op_name)["inputs"]]
        self.wait_for_texts("Op:", "Input slot 0:", *inputs, *(f"×{count}" for count in bad(first) if count))
        red = sum(any(execution.debug_tensor_values[0][2:]) for execution in READER.executions())
        self.assertGreater(red, 0)
        self.wait_for_count(".execution-digest.InfNanAlert", red)


if __name__ == "__main__":
    tensorboard_server.need(VENV / "bin" / "tensorboard", "scripts/setup --debugger installs it, with TensorFlow")
    tensorboard_server.need(CHROMIUM, "scripts/setup --browser installs it")
    tensorboard_server.enter(VENV)
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    unittest.main(argv=sys.argv[:1], verbosity=2)
