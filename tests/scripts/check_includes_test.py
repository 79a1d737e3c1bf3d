"""The include checker on small trees: what it must report and what it must let pass."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(__file__).parents[2] / "scripts" / "check_includes.py"


class CheckIncludes(unittest.TestCase):
    def errors(self, files):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = pathlib.Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            run = subprocess.run([sys.executable, CHECKER, root], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 1 if run.stdout else 0, run.stderr)
        return run.stdout.splitlines()

    def test_arrows_of_the_table_pass(self):
        self.assertEqual(
            self.errors(
                {
                    "codelets/stats_row.hpp": "#include <cstdint>\n#include <poplar/Vertex.hpp>\n",
                    "graph/stats.cpp": '#include "codelets/stats_row.hpp"\n#include <popops/Reduce.hpp>\n',
                    "summary/png/png.cpp": "#include <zlib.h>\n#include <vector>\n",
                    "outfeed/drain/drain.cpp": '#include "summary/event.pb.h"\n#include <thread>\n',
                    "host/main.cpp": '#include "outfeed/drain/drain.hpp"\n#include <CLI/CLI.hpp>\n',
                    "ipumodel/poplar/view/view.cpp": '#include "view.hpp"\n#include <poplar/Tensor.hpp>\n',
                    "tests/graph/stats_test.cpp": '#include "host/options.hpp"\n#include <gtest/gtest.h>\n',
                }
            ),
            [],
        )

    def test_summary_may_not_include_poplar(self):
        self.assertEqual(
            self.errors({"summary/stats.cpp": "#include <vector>\n#include <poplar/Tensor.hpp>\n"}),
            ["summary/stats.cpp:2: summary/ may not include <poplar/Tensor.hpp> of Poplar"],
        )

    def test_graph_may_not_enter_outfeed_nor_start_threads(self):
        errors = self.errors(
            {"outfeed/drain/drain.hpp": "", "graph/a.cpp": '#include "outfeed/drain/drain.hpp"\n#include <thread>\n'}
        )
        self.assertEqual(
            errors,
            [
                'graph/a.cpp:1: graph/ may not include "outfeed/drain/drain.hpp" of outfeed/drain/',
                "graph/a.cpp:2: graph/ may not include <thread>",
            ],
        )

    def test_relative_paths_do_not_hide_the_room(self):
        errors = self.errors({"host/a.hpp": "", "outfeed/b.cpp": '#include "../host/a.hpp"\n'})
        self.assertEqual(errors, ['outfeed/b.cpp:1: outfeed/ may not include "../host/a.hpp" of host/'])

    def test_codelets_have_no_containers(self):
        errors = self.errors({"codelets/a.cpp": "#include <vector>\n"})
        self.assertEqual(errors, ["codelets/a.cpp:1: codelets/ may not include <vector>: a tile does not have it"])

    def test_rooms_may_not_include_engine_internals(self):
        errors = self.errors({"ipumodel/poplar/view/view.hpp": "", "host/a.cpp": '#include "ipumodel/poplar/view/view.hpp"\n'})
        self.assertEqual(errors, ['host/a.cpp:1: host/ may not include "ipumodel/poplar/view/view.hpp" of ipumodel/poplar/view/'])

    def test_public_headers_may_not_include_engine_internals(self):
        errors = self.errors(
            {"ipumodel/poplar/view/view.hpp": "", "ipumodel/include/poplar/Tensor.hpp": '#include "poplar/view/view.hpp"\n'}
        )
        self.assertEqual(
            errors,
            ['ipumodel/include/poplar/Tensor.hpp:1: ipumodel/include/ may not include "poplar/view/view.hpp" of ipumodel/poplar/view/'],
        )

    def test_rooms_of_the_engine_stand_on_those_before_them(self):
        errors = self.errors(
            {
                "ipumodel/poplar/plan/plan_builder.hpp": '#include "poplar/graph/graph_data.hpp"\n',
                "ipumodel/poplar/graph/graph_data.hpp": '#include "poplar/plan/plan_builder.hpp"\n',
            }
        )
        self.assertEqual(
            errors,
            [
                "ipumodel/poplar/graph/graph_data.hpp:1: ipumodel/poplar/graph/ may not include "
                '"poplar/plan/plan_builder.hpp" of ipumodel/poplar/plan/'
            ],
        )

    def test_internals_of_the_engine_are_in_its_namespace(self):
        for namespace, name in (("popops", "popops"), ("", "a nameless one")):
            errors = self.errors(
                {"ipumodel/popops/map.hpp": f"namespace {namespace} {{\n\nint internal();\n}} // namespace {namespace}\n"}
            )
            self.assertEqual(errors, [f"ipumodel/popops/map.hpp:3: internals are in namespace ipumodel, not {name}"])

    def test_internal_headers_name_public_classes_and_define_what_public_headers_name(self):
        plan = "namespace popops {\nclass Other;\nclass PlanInternal {\npublic:\n  int size;\n};\n} // namespace popops\n"
        internal = "namespace ipumodel {\nnamespace popc {\nint size();\n} // namespace popc\n} // namespace ipumodel\n"
        public = {"ipumodel/include/popops/Plan.hpp": "namespace popops {\nclass PlanInternal;\n} // namespace popops\n"}
        self.assertEqual(self.errors({"ipumodel/popops/plan.hpp": plan + internal, **public}), [])
        self.assertEqual(
            self.errors({"ipumodel/popops/plan.hpp": plan}),
            ["ipumodel/popops/plan.hpp:3: internals are in namespace ipumodel, not popops"],
        )

    def test_link_lines_follow_the_arrows_too(self):
        errors = self.errors(
            {"graph/CMakeLists.txt": "target_link_libraries(g PUBLIC popscope::sdk\n  popscope::summary)\n"}
        )
        self.assertEqual(errors, ["graph/CMakeLists.txt: graph/ may not link popscope::summary"])


if __name__ == "__main__":
    unittest.main()
