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
    with pytest.raises(ValueError):
        generation_.random_string(size = False)
@pytest.mark.xfail(strict=True)
def test_1():
    var_0 = generation_.uuid()
    generation_.uuid()
    generation_.roman_range(stop = var_0)
def test_2():
    generation_.uuid()
    var_1 = 1126
    var_2 = generation_.secure_random_hex(byte_count = var_1)
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = var_2)
def test_3():
    var_0 = dict
    generation_.uuid(as_hex = var_0)
    var_2 = 104
    var_3 = generation_.roman_range(stop = var_2)
    next(var_3)
    generation_.random_string(size = var_2)
    next(var_3)
    var_7 = False
    generation_.uuid(as_hex = var_7)
    var_9 = 2
    generation_.secure_random_hex(byte_count = var_9)
    next(var_3)
    var_12 = False
    generation_.uuid(as_hex = var_12)
    next(var_3)
    next(var_3)
    next(var_3)
    generation_.uuid()
def test_4():
    var_0 = 64
    var_1 = generation_.roman_range(stop = var_0)
    next(var_1)
    var_3 = -854
    with pytest.raises(ValueError):
        generation_.random_string(size = var_3)
@pytest.mark.xfail(strict=True)
def test_5():
    var_0 = False
    generation_.uuid(as_hex = var_0)
    var_2 = 617
    generation_.secure_random_hex(byte_count = var_2)
    generation_.roman_range(stop = -3841)
def test_6():
    var_0 = 1898
    generation_.secure_random_hex(byte_count = var_0)
    var_2 = 294
    generation_.random_string(size = var_2)
    var_4 = False
    generation_.uuid(as_hex = var_4)
    generation_.uuid()
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = var_4)
