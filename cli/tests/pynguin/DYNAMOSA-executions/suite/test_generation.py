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
    var_0 = str
    generation_.uuid(as_hex = var_0)
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = {'(<([a-z]+:)?[a-z]+[^>]*/?>|</([a-z]+:)?[a-z]+>|<!--.*-->|<!doctype.*>)': False, '\n    Check if a string is a valid json.\n\n    *Examples:*\n\n    >>> is_json(\'{"name": "Peter"}\') # returns true\n    >>> is_json(\'[1, 2, 3]\') # returns true\n    >>> is_json(\'{nope}\') # returns false\n\n    :param input_string: String to check.\n    :type input_string: str\n    :return: True if json, false otherwise\n    ': 3736.07})
def test_2():
    with pytest.raises(ValueError):
        generation_.random_string(size = {0, False})
def test_3():
    var_0 = 2
    generation_.random_string(size = var_0)
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = False)
def test_4():
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = None)
def test_5():
    var_0 = 2
    generation_.secure_random_hex(byte_count = var_0)
def test_6():
    generation_.roman_range(stop = 2283)
def test_7():
    generation_.uuid()
    var_1 = 11
    with pytest.raises(OverflowError):
        generation_.roman_range(stop = var_1, start = var_1)
@pytest.mark.xfail(strict=True)
def test_8():
    generation_.roman_range(stop = {'0': -418.43, '\n    Custom error raised when received object is not a string as expected.\n    ': True, 'C': 3})
def test_9():
    var_0 = 10
    var_1 = generation_.roman_range(stop = var_0)
    next(var_1)
    False
    generation_.uuid()
    var_6 = -1066
    with pytest.raises(ValueError):
        generation_.random_string(size = var_6)
def test_10():
    var_0 = -3436
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = var_0)
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
    var_0 = 10
    var_1 = generation_.roman_range(stop = var_0)
    next(var_1)
    False
    generation_.uuid()
    generation_.uuid()
    -1066
    next(var_1)
    next(var_1)
    next(var_1)
    next(var_1)
    next(var_1)
    var_17 = 255
    generation_.roman_range(stop = var_17)
    var_19 = tuple
    generation_.roman_range(stop = 'Invalid start/stop/step configuration', step = var_19)
@pytest.mark.xfail(strict=True)
def test_14():
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
