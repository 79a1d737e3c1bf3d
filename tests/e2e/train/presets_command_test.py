#!/usr/bin/env python3
"""popscope presets and popscope devices agree with what trainings do.

    presets_command_test.py POPSCOPE
"""

import json
import os
import re
import subprocess
import sys
import unittest

POPSCOPE = os.path.abspath(sys.argv[1])


def run(*arguments):
    return subprocess.run([POPSCOPE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def popscope(*arguments):
    answer = run(*arguments)
    if answer.returncode != 0:
        raise AssertionError(f"popscope {' '.join(arguments)}: {answer.stderr}")
    return answer.stdout


def words_of(command, option):
    return re.search(rf"^  {option} (\S+)", popscope(command, "--help"), re.MULTILINE)[1].split("|")


PRESETS = words_of("train", "--preset")
SHOWN = {name: json.loads(popscope("presets", "--show", name)) for name in PRESETS}


class Presets(unittest.TestCase):
    def test_the_list_has_those_that_train_knows(self):
        heading, *rows = popscope("presets").splitlines()
        self.assertEqual([row.split("\t")[0] for row in rows], PRESETS)
        for row in rows:
            cells = dict(zip(heading.split("\t"), row.split("\t")))
            shown = SHOWN[cells["preset"]]
            self.assertEqual(cells["what"], shown["description"])
            self.assertEqual(int(cells["layers"]), len(shown["layers"]))
            self.assertEqual(int(cells["epochs"]), shown["settings"]["epochs"])
            self.assertEqual(cells["batch"], str(shown["settings"]["batch-size"] or "all"))
            self.assertEqual(cells["optimizer"], shown["optimizer"]["kind"])

    def test_json_has_all_of_them(self):
        self.assertEqual(json.loads(popscope("presets", "--json")), list(SHOWN.values()))

    def test_layers_have_the_shapes_of_the_weights_in_the_graph(self):
        for name, shown in SHOWN.items():
            listed = json.loads(popscope("taps", "kind:weight", "--preset", name, "--json"))
            kernels = {tap["tensor"]: tap for tap in listed["taps"] if tap["tensor"].endswith("/kernel:0")}
            with_kernel = [layer for layer in shown["layers"] if layer["kind"] in ("conv", "dense")]
            self.assertEqual(sorted(kernels), sorted(f"{layer['name']}/kernel:0" for layer in with_kernel), name)
            for layer in with_kernel:
                tap = kernels[f"{layer['name']}/kernel:0"]
                self.assertEqual(tap["shape"][-1], layer.get("filters") or layer["units"], layer)
                if layer["kind"] == "conv":
                    self.assertEqual(tap["shape"][:2], [layer["kernel"]] * 2, layer)
                self.assertEqual(tap["stage"], layer["stage"], layer)

    def test_settings_are_options_of_train_and_have_the_numbers_of_its_help(self):
        text = " ".join(popscope("train", "--help").split())
        for name, shown in SHOWN.items():
            settings = shown["settings"]
            for option in settings:
                self.assertIn(f"--{option} ", text)
            self.assertIn(f"{name} {shown['description']} {settings['epochs']} epochs of "
                          f"{settings['steps-per-epoch'] or 'one'} ", text)
            self.assertIn(f"{shown['optimizer']['kind']}, learning rate {settings['learning-rate']}", text)

    def test_the_optimizer_has_the_numbers_of_keras(self):
        self.assertEqual(SHOWN["cnn"]["optimizer"], {"kind": "rmsprop", "rho": 0.9, "epsilon": 1e-7})
        self.assertEqual(SHOWN["fashion"]["optimizer"], {"kind": "adam", "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-7})

    def test_an_unknown_name_is_refused(self):
        answer = run("presets", "--show", "resnet")
        self.assertEqual((answer.returncode, answer.stdout), (2, ""))
        self.assertEqual(answer.stderr, f"popscope: --show resnet: there are {', '.join(PRESETS)}\n")


class Devices(unittest.TestCase):
    def test_every_value_of_the_option_is_listed(self):
        offers = json.loads(popscope("devices", "--json"))
        self.assertEqual([offer["device"] for offer in offers], words_of("train", "--device"))
        rows = [line.split("\t") for line in popscope("devices").splitlines()[1:]]
        self.assertEqual(rows, [[offer["device"], "yes" if offer["usable"] else "no", offer["what"]] for offer in offers])

    def test_what_cannot_be_used_is_refused_by_train_for_the_same_reason(self):
        offers = {offer["device"]: offer for offer in json.loads(popscope("devices", "--json"))}
        self.assertTrue(offers["model"]["usable"])
        if offers["ipu"]["usable"]:
            self.skipTest("this machine has a free IPU")
        answer = run("prove", "--preset", "fashion", "--device", "ipu")
        self.assertEqual(answer.returncode, 2)
        self.assertEqual(answer.stderr, f"popscope: --device ipu: {offers['ipu']['what']}\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
