#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A host in another language: the kernel through ctypes, with nothing compiled for it.

The example of docs/embedding.md is run as it stands there; the rest uses the same functions for what it does not show.
"""
import ctypes
import os
import re
import tempfile
import threading
import unittest

ROOT = os.environ["DIVAN_TEST_SOURCE_ROOT"]
SCENE = os.path.join(ROOT, "scenes", "pendulum.scn").encode()

divan = ctypes.CDLL(os.environ["DIVAN_WORDS"])
pointer, size, text, real = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_double
numbers = ctypes.POINTER(real)


def declare(name, result, *arguments):
    getattr(divan, name).restype = result
    getattr(divan, name).argtypes = arguments


declare("dv_start", ctypes.c_int, pointer)
declare("dv_stop", None)
declare("dv_scene_load", ctypes.c_int, text, pointer, ctypes.POINTER(pointer))
declare("dv_scene_new", pointer)
declare("dv_scene_init", ctypes.c_int, pointer)
declare("dv_scene_step", ctypes.c_int, pointer, real)
declare("dv_scene_reset", None, pointer)
declare("dv_scene_save", ctypes.c_int, pointer, text)
declare("dv_scene_free", None, pointer)
declare("dv_scene_root", pointer, pointer)
declare("dv_scene_steps", ctypes.c_uint64, pointer)
declare("dv_scene_object", pointer, pointer, text)
declare("dv_scene_field", pointer, pointer, text)
declare("dv_node_time", real, pointer)
declare("dv_data_get_text", size, pointer, text, size)
declare("dv_data_set_text", ctypes.c_int, pointer, text)
declare("dv_data_shape", None, pointer, ctypes.POINTER(size), ctypes.POINTER(size))
declare("dv_data_get_numbers", ctypes.c_int, pointer, numbers, size)
declare("dv_data_set_numbers", ctypes.c_int, pointer, numbers, size)
declare("dv_state_shape", ctypes.c_int, pointer, ctypes.c_uint32, ctypes.POINTER(size), ctypes.POINTER(size))
declare("dv_state_get", ctypes.c_int, pointer, ctypes.c_uint32, numbers, size)
declare("dv_state_set", ctypes.c_int, pointer, ctypes.c_uint32, numbers, size)
declare("dv_object_new_with", ctypes.c_int, pointer, text, ctypes.POINTER(text), ctypes.POINTER(text), size,
        ctypes.POINTER(pointer))
declare("dv_object_reinit", ctypes.c_int, pointer)
declare("dv_log_set_handler", None, pointer, pointer)
declare("dv_last_error", text)

QUIET = ctypes.CFUNCTYPE(None, pointer, pointer)(lambda message, context: None)
POSITION, VELOCITY = 1, 8
STRING, FRAME = b"/String/particles", b"/Body/frame"


def load(file=SCENE):
    scene = pointer()
    assert divan.dv_scene_load(file, None, ctypes.byref(scene)) == 0, divan.dv_last_error()
    return scene


def steps(scene, count):
    for _ in range(count):
        assert divan.dv_scene_step(scene, 0) == 0


def state(scene, path, vector=POSITION):
    found = divan.dv_scene_object(scene, path)
    points, components = size(), size()
    assert divan.dv_state_shape(found, vector, ctypes.byref(points), ctypes.byref(components)) == 0
    values = (real * (points.value * components.value))()
    assert divan.dv_state_get(found, vector, values, len(values)) == 0
    return list(values)


def field_text(scene, path):
    field = divan.dv_scene_field(scene, path)
    room = ctypes.create_string_buffer(divan.dv_data_get_text(field, None, 0) + 1)
    divan.dv_data_get_text(field, room, len(room))
    return room.value


class Embedding(unittest.TestCase):
    def setUp(self):
        self.scenes = []

    def load(self, file=SCENE):
        scene = load(file)
        self.scenes.append(scene)
        return scene

    def tearDown(self):
        for scene in self.scenes:
            divan.dv_scene_free(scene)
        divan.dv_log_set_handler(None, None)

    def test_a_run_a_reset_and_a_second_run_give_the_same(self):
        scene = self.load()
        start = state(scene, STRING)
        steps(scene, 50)
        moved = state(scene, STRING)
        self.assertNotEqual(start, moved)
        self.assertEqual(divan.dv_scene_steps(scene), 50)
        divan.dv_scene_reset(scene)
        self.assertEqual(state(scene, STRING), start)
        self.assertEqual(divan.dv_scene_steps(scene), 0)
        steps(scene, 50)
        self.assertEqual(state(scene, STRING), moved)
        self.assertGreater(divan.dv_node_time(divan.dv_scene_root(scene)), 0)

    def test_a_field_is_written_as_text_and_as_numbers(self):
        scene = self.load()
        gravity = divan.dv_scene_field(scene, b"/.gravity")
        elements, components = size(), size()
        divan.dv_data_shape(gravity, ctypes.byref(elements), ctypes.byref(components))
        self.assertEqual((elements.value, components.value), (1, 3))
        self.assertEqual(divan.dv_data_set_text(gravity, b"0 0 -1.5"), 0)
        values = (real * 3)()
        self.assertEqual(divan.dv_data_get_numbers(gravity, values, 3), 0)
        self.assertEqual(list(values), [0, 0, -1.5])
        self.assertEqual(divan.dv_data_set_numbers(gravity, (real * 3)(0, 2, 0.1), 3), 0)
        self.assertEqual(field_text(scene, b"/.gravity"), b"0 2 0.1")
        divan.dv_log_set_handler(QUIET, None)
        self.assertNotEqual(divan.dv_data_set_numbers(gravity, (real * 2)(0, 2), 2), 0)
        self.assertIn(b"3 numbers, not 2", divan.dv_last_error())
        self.assertIsNone(divan.dv_scene_field(scene, b"/.gravty"))
        self.assertIsNone(divan.dv_scene_object(scene, b"/no/where"))
        self.assertIn(b"/no/where", divan.dv_last_error())

    def test_a_state_that_is_written_is_where_the_run_goes_on(self):
        scene = self.load()
        steps(scene, 20)
        kept = [(path, vector, state(scene, path, vector)) for path in (STRING, FRAME) for vector in (POSITION, VELOCITY)]
        steps(scene, 10)
        expected = state(scene, STRING) + state(scene, FRAME)
        for path, vector, values in kept:
            found = divan.dv_scene_object(scene, path)
            self.assertEqual(divan.dv_state_set(found, vector, (real * len(values))(*values), len(values)), 0)
        hook = state(scene, b"/Body/Hook/point")
        steps(scene, 10)
        self.assertNotEqual(state(scene, b"/Body/Hook/point"), hook)
        for a, b in zip(state(scene, STRING) + state(scene, FRAME), expected):
            self.assertAlmostEqual(a, b, places=11)
        divan.dv_log_set_handler(QUIET, None)
        broken = (real * 15)(*([float("nan")] * 15))
        self.assertNotEqual(divan.dv_state_set(divan.dv_scene_object(scene, STRING), POSITION, broken, 15), 0)
        self.assertIn(b"not finite", divan.dv_last_error())

    def test_a_saved_run_continues(self):
        scene = self.load()
        steps(scene, 10)
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "saved.scn").encode()
            self.assertEqual(divan.dv_scene_save(scene, file), 0)
            again = self.load(file)
            steps(scene, 10)
            steps(again, 10)
            self.assertEqual(state(again, STRING), state(scene, STRING))

    def test_objects_are_made_from_arrays_of_texts(self):
        scene = pointer(divan.dv_scene_new())
        self.scenes.append(scene)
        made = pointer()
        names, texts = (text * 2)(b"name", b"position"), (text * 2)(b"dofs", b"1 2 3 4 5 6")
        self.assertEqual(divan.dv_object_new_with(divan.dv_scene_root(scene), b"MechanicalObject", names, texts, 2,
                                                  ctypes.byref(made)), 0)
        self.assertEqual(divan.dv_scene_init(scene), 0)
        self.assertEqual(state(scene, b"/dofs"), [1, 2, 3, 4, 5, 6])
        self.assertEqual(divan.dv_object_reinit(made), 0)

    def test_threads_run_scenes_of_their_own(self):
        scene = self.load()
        steps(scene, 30)
        expected, results = state(scene, STRING), []

        def work():
            own = load()
            steps(own, 30)
            results.append(state(own, STRING))
            divan.dv_scene_free(own)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [expected] * 4)

    def test_the_example_of_the_documentation_runs(self):
        with open(os.path.join(ROOT, "docs", "embedding.md"), encoding="utf-8") as page:
            example, moments = re.findall(r"```python\n(.*?)```", page.read(), re.S)
        self.assertLessEqual(len(example.splitlines()), 40)
        example = example.replace("build/kernel/libdivan-words.so.0", os.environ["DIVAN_WORDS"])
        names = {"__name__": "example"}
        folder = os.getcwd()
        os.chdir(ROOT)
        try:
            # The plugins run already: dv_start would say so.
            exec(example.replace("divan.dv_start(None) == 0", "True"), names)  # pylint: disable=exec-used
            self.assertEqual(len(names["positions"]), 200)
            exec(moments, names)  # pylint: disable=exec-used
        finally:
            os.chdir(folder)
        self.assertEqual(len(set(map(tuple, names["reached"]))), 3)
        self.assertNotEqual(names["positions"][0], names["positions"][99])


if __name__ == "__main__":
    assert divan.dv_start(None) == 0, divan.dv_last_error()
    unittest.main(verbosity=2)
