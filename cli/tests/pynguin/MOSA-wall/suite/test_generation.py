#  This file was automatically generated using Pynguin.

import random as _pynguin_random
import pytest
import weakref as _pynguin_weakref
_pynguin_orig_seed = getattr(
    _pynguin_random.Random.seed, '__pynguin_orig__', _pynguin_random.Random.seed
)
_pynguin_tracked = _pynguin_weakref.WeakSet()
def _pynguin_deterministic_seed(self, x=None):
    if x is None:
        x = 1
    elif type(x).__hash__ is object.__hash__:
        x = f'{type(x).__module__}.{type(x).__name__}'
    _pynguin_orig_seed(self, x)
    _pynguin_tracked.add(self)
_pynguin_deterministic_seed.__pynguin_patched__ = True
_pynguin_deterministic_seed.__pynguin_orig__ = _pynguin_orig_seed
_pynguin_deterministic_seed.__pynguin_instances__ = _pynguin_tracked
_pynguin_random.Random.seed = _pynguin_deterministic_seed
import sys
import string_utils.generation
generation_ = sys.modules['string_utils.generation']
@pytest.fixture(scope='module', autouse=True)
def _pynguin_restore_random():
    yield
    _pynguin_random.Random.seed = _pynguin_orig_seed

@pytest.fixture(autouse=True)
def _pynguin_seed_random():
    _pynguin_random.Random.seed = _pynguin_deterministic_seed
    _pynguin_random.seed(1)
    _pynguin_instances = getattr(
        _pynguin_random.Random.seed, '__pynguin_instances__', None
    )
    if _pynguin_instances is not None:
        for _inst in list(_pynguin_instances):
            _inst.seed(1)
    yield
    _pynguin_random.Random.seed = _pynguin_orig_seed
def test_0():
    generation_.uuid(as_hex = None)
def test_1():
    var_0 = 10
    var_1 = generation_.roman_range(stop = 1775, start = 931, step = var_0)
    next(var_1)
    False
    generation_.uuid()
    generation_.uuid()
    var_14 = generation_.random_string(size = var_0)
    var_15 = False
    generation_.uuid(as_hex = var_15)
    var_17 = 1774
    var_18 = generation_.roman_range(stop = var_17, step = var_0)
    generation_.uuid(as_hex = var_14)
    next(var_18)
    var_21 = 2
    generation_.random_string(size = var_21)
    var_23 = 320
    generation_.secure_random_hex(byte_count = var_23)
def test_2():
    with pytest.raises(ValueError):
        generation_.random_string(size = {0, False})
def test_3():
    var_0 = 13
    var_1 = generation_.roman_range(stop = 1775, start = 931, step = var_0)
    next(var_1)
    False
    generation_.uuid()
    generation_.uuid()
    generation_.random_string(size = var_0)
    var_15 = False
    generation_.uuid(as_hex = var_15)
    1774
    next(var_1)
    var_30 = 4215
    generation_.random_string(size = var_30)
    generation_.uuid()
    8
    var_34 = 244
    generation_.secure_random_hex(byte_count = var_34)
def test_4():
    var_0 = 10
    var_1 = generation_.roman_range(stop = var_0)
    next(var_1)
    False
    generation_.uuid()
    var_6 = -1066
    with pytest.raises(ValueError):
        generation_.random_string(size = var_6)
def test_5():
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = None)
def test_6():
    var_0 = 2
    generation_.secure_random_hex(byte_count = var_0)
def test_7():
    var_0 = -3436
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = var_0)
def test_8():
    generation_.roman_range(stop = 2283)
def test_9():
    var_0 = 1
    generation_.secure_random_hex(byte_count = var_0)
    generation_.uuid()
    with pytest.raises(OverflowError):
        generation_.roman_range(stop = var_0)
@pytest.mark.xfail(strict=True)
def test_10():
    generation_.roman_range(stop = 2283)
    var_82 = tuple
    var_83 = 1086
    generation_.roman_range(stop = var_82, start = -158.71, step = var_83)
@pytest.mark.xfail(strict=True)
def test_11():
    var_0 = -1499
    generation_.roman_range(stop = var_0)
def test_12():
    var_0 = 1
    generation_.random_string(size = var_0)
    255
    with pytest.raises(OverflowError):
        generation_.roman_range(stop = var_0, step = -1139)
@pytest.mark.xfail(strict=True)
def test_13():
    1502
    generation_.uuid()
    var_9 = 4219
    generation_.secure_random_hex(byte_count = var_9)
    generation_.secure_random_hex(byte_count = var_9)
    generation_.uuid()
    var_12 = 8
    generation_.secure_random_hex(byte_count = var_12)
    generation_.uuid()
    generation_.roman_range(stop = var_9)
