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
    generation_.uuid()
def test_1():
    var_28 = True
    generation_.uuid(as_hex = var_28)
def test_2():
    var_0 = lambda *args, **kwargs: 1582
    with pytest.raises(ValueError):
        generation_.random_string(size = var_0)
def test_3():
    var_6 = -2059
    with pytest.raises(ValueError):
        generation_.random_string(size = var_6)
def test_4():
    True
    generation_.random_string(size = 1703)
def test_5():
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = {})
def test_6():
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = -2164)
def test_7():
    var_0 = generation_.secure_random_hex(byte_count = 3)
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = var_0)
@pytest.mark.xfail(strict=True)
def test_8():
    var_5 = [False, -2892]
    generation_.roman_range(stop = set(), step = var_5)
