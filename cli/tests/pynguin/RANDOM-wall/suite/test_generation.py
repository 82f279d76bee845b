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
    generation_.uuid()
    generation_.uuid()
def test_2():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
def test_3():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
def test_4():
    var_0 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_0)
def test_5():
    var_0 = generation_.roman_range
    generation_.uuid(as_hex = var_0)
def test_6():
    var_0 = True
    generation_.uuid(as_hex = var_0)
def test_7():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_5 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_5)
    var_9 = 637
    generation_.secure_random_hex(byte_count = var_9)
def test_8():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_4 = 336
    generation_.roman_range(stop = var_4)
def test_9():
    var_0 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_0)
    generation_.uuid()
    generation_.uuid()
    var_6 = True
    generation_.uuid(as_hex = var_6)
    var_8 = generation_.roman_range
    generation_.uuid(as_hex = var_8)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_15 = 336
    generation_.roman_range(stop = var_15)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
def test_10():
    generation_.uuid()
    generation_.uuid()
    var_2 = generation_.roman_range
    generation_.uuid(as_hex = var_2)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_12 = True
    generation_.uuid(as_hex = var_12)
    generation_.random_string(size = var_12)
def test_11():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_4 = 336
    generation_.roman_range(stop = var_4)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
def test_12():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_16 = 336
    generation_.roman_range(stop = var_16)
    var_18 = 244
    generation_.roman_range(stop = var_18)
def test_13():
    var_0 = True
    generation_.uuid(as_hex = var_0)
    var_2 = generation_.roman_range
    generation_.uuid(as_hex = var_2)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_8 = 336
    generation_.roman_range(stop = var_8)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_22 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_22)
    generation_.uuid()
    generation_.uuid()
def test_14():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_6 = generation_.roman_range
    generation_.uuid(as_hex = var_6)
    generation_.uuid()
    var_9 = False
    generation_.uuid(as_hex = var_9)
def test_15():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_8 = True
    generation_.uuid(as_hex = var_8)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_14 = 336
    generation_.roman_range(stop = var_14)
    var_16 = generation_.roman_range
    generation_.uuid(as_hex = var_16)
    var_18 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_18)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
def test_16():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_4 = 336
    generation_.roman_range(stop = var_4)
    var_6 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_6)
    generation_.uuid()
    generation_.uuid()
def test_17():
    generation_.uuid()
    generation_.uuid()
    var_2 = True
    generation_.uuid(as_hex = var_2)
    generation_.uuid()
    var_5 = generation_.roman_range
    generation_.uuid(as_hex = var_5)
    var_7 = 1577
    generation_.random_string(size = var_7)
def test_18():
    var_0 = generation_.roman_range
    generation_.uuid(as_hex = var_0)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_14 = True
    generation_.uuid(as_hex = var_14)
    generation_.uuid()
    var_17 = generation_.roman_range
    generation_.uuid(as_hex = var_17)
    var_19 = 1577
    generation_.random_string(size = var_19)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_25 = 336
    generation_.roman_range(stop = var_25)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_31 = 1826
    generation_.roman_range(stop = var_31)
def test_19():
    var_0 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_0)
    generation_.uuid()
    generation_.uuid()
    var_6 = True
    generation_.uuid(as_hex = var_6)
    generation_.uuid()
    var_9 = generation_.roman_range
    generation_.uuid(as_hex = var_9)
    var_11 = 1577
    generation_.random_string(size = var_11)
    generation_.uuid()
def test_20():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
def test_21():
    var_0 = True
    generation_.uuid(as_hex = var_0)
    var_2 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_2)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_23 = 336
    generation_.roman_range(stop = var_23)
    generation_.uuid()
    generation_.uuid()
    var_27 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_34 = generation_.roman_range
    generation_.uuid(as_hex = var_34)
    generation_.uuid()
    generation_.uuid()
    var_38 = True
    generation_.uuid(as_hex = var_38)
    generation_.uuid()
    var_41 = generation_.roman_range
    generation_.uuid(as_hex = var_41)
    var_43 = 1577
    generation_.random_string(size = var_43)
    generation_.uuid(as_hex = var_27)
def test_22():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_4 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_4)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_16 = generation_.roman_range
    generation_.uuid(as_hex = var_16)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_22 = 336
    generation_.roman_range(stop = var_22)
    var_24 = True
    generation_.uuid(as_hex = var_24)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
def test_23():
    var_0 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_0)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_8 = 336
    generation_.roman_range(stop = var_8)
    generation_.uuid()
    generation_.uuid()
    var_12 = True
    generation_.uuid(as_hex = var_12)
    generation_.uuid()
    var_15 = generation_.roman_range
    generation_.uuid(as_hex = var_15)
    var_17 = 1577
    generation_.random_string(size = var_17)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_23 = generation_.roman_range
    generation_.uuid(as_hex = var_23)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
def test_24():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_10 = True
    generation_.uuid(as_hex = var_10)
    generation_.uuid()
    var_13 = generation_.roman_range
    generation_.uuid(as_hex = var_13)
    var_15 = 1577
    generation_.random_string(size = var_15)
    var_17 = True
    generation_.uuid(as_hex = var_17)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_24 = generation_.roman_range
    generation_.uuid(as_hex = var_24)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_39 = 336
    generation_.roman_range(stop = var_39)
    generation_.uuid()
def test_25():
    generation_.uuid()
    generation_.uuid()
    var_2 = True
    generation_.uuid(as_hex = var_2)
    generation_.uuid()
    var_5 = generation_.roman_range
    generation_.uuid(as_hex = var_5)
    var_7 = 1577
    generation_.random_string(size = var_7)
    var_9 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_9)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
def test_26():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_4 = 313
    generation_.secure_random_hex(byte_count = var_4)
def test_27():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_12 = 313
    generation_.secure_random_hex(byte_count = var_12)
    generation_.uuid()
def test_28():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_4 = True
    generation_.uuid(as_hex = var_4)
    generation_.uuid()
    generation_.uuid()
    var_8 = True
    generation_.uuid(as_hex = var_8)
    generation_.uuid()
    var_11 = generation_.roman_range
    generation_.uuid(as_hex = var_11)
    var_13 = 1577
    generation_.random_string(size = var_13)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_35 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_35)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_43 = 336
    generation_.roman_range(stop = var_43)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_49 = 313
    generation_.secure_random_hex(byte_count = var_49)
    generation_.uuid()
def test_29():
    var_0 = True
    generation_.uuid(as_hex = var_0)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_6 = 313
    generation_.secure_random_hex(byte_count = var_6)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_17 = generation_.roman_range
    generation_.uuid(as_hex = var_17)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_25 = True
    generation_.uuid(as_hex = var_25)
    generation_.uuid()
    var_28 = generation_.roman_range
    generation_.uuid(as_hex = var_28)
    var_30 = 1577
    generation_.random_string(size = var_30)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_46 = 336
    generation_.roman_range(stop = var_46)
    generation_.uuid()
def test_30():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_6 = True
    generation_.uuid(as_hex = var_6)
    generation_.uuid()
    var_9 = generation_.roman_range
    generation_.uuid(as_hex = var_9)
    var_11 = 1577
    generation_.random_string(size = var_11)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_17 = 336
    generation_.roman_range(stop = var_17)
    var_19 = generation_.roman_range
    generation_.uuid(as_hex = var_19)
    var_21 = True
    generation_.uuid(as_hex = var_21)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_33 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_33)
    generation_.uuid()
def test_31():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_4 = 336
    generation_.roman_range(stop = var_4)
    var_6 = True
    generation_.uuid(as_hex = var_6)
    generation_.uuid()
    generation_.uuid()
    var_10 = True
    generation_.uuid(as_hex = var_10)
    generation_.uuid()
    var_13 = generation_.roman_range
    generation_.uuid(as_hex = var_13)
    var_15 = 1577
    generation_.random_string(size = var_15)
    generation_.uuid()
    generation_.uuid()
    var_19 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_19)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.random_string(size = var_6)
def test_32():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_8 = 313
    generation_.secure_random_hex(byte_count = var_8)
    var_10 = generation_.roman_range
    generation_.uuid(as_hex = var_10)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_21 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_21)
    generation_.random_string(size = var_8)
def test_33():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_8 = True
    generation_.uuid(as_hex = var_8)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_14 = 313
    generation_.secure_random_hex(byte_count = var_14)
    generation_.uuid()
    var_17 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_17)
    var_21 = generation_.roman_range
    generation_.uuid(as_hex = var_21)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_29 = 336
    generation_.roman_range(stop = var_29)
    generation_.uuid()
def test_34():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_4 = True
    generation_.uuid(as_hex = var_4)
    generation_.uuid()
    var_7 = generation_.roman_range
    generation_.uuid(as_hex = var_7)
    var_9 = 1577
    generation_.random_string(size = var_9)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_15 = 313
    generation_.secure_random_hex(byte_count = var_15)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_21 = 336
    generation_.roman_range(stop = var_21)
    generation_.uuid()
    var_24 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_24)
    generation_.uuid(as_hex = complex(-5663.06818, 376.054958))
def test_35():
    var_0 = True
    generation_.uuid(as_hex = var_0)
    generation_.uuid()
def test_36():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_8 = 313
    generation_.secure_random_hex(byte_count = var_8)
    generation_.uuid()
    generation_.uuid()
    var_12 = True
    generation_.uuid(as_hex = var_12)
    generation_.uuid()
    var_15 = generation_.roman_range
    generation_.uuid(as_hex = var_15)
    var_17 = 1577
    generation_.random_string(size = var_17)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_36 = True
    generation_.uuid(as_hex = var_36)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_42 = 336
    generation_.roman_range(stop = var_42)
    var_44 = True
    generation_.uuid(as_hex = var_44)
    generation_.uuid()
    var_47 = generation_.roman_range
    generation_.uuid(as_hex = var_47)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_15)
def test_37():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_8 = True
    generation_.uuid(as_hex = var_8)
    generation_.uuid()
    generation_.uuid()
    var_12 = True
    generation_.uuid(as_hex = var_12)
    generation_.uuid()
    var_15 = generation_.roman_range
    generation_.uuid(as_hex = var_15)
    var_17 = 1577
    generation_.random_string(size = var_17)
    var_19 = generation_.roman_range
    generation_.uuid(as_hex = var_19)
    var_21 = True
    generation_.uuid(as_hex = var_21)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_29 = 313
    generation_.secure_random_hex(byte_count = var_29)
    generation_.uuid()
def test_38():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_4 = 336
    generation_.roman_range(stop = var_4)
    var_6 = generation_.roman_range
    generation_.uuid(as_hex = var_6)
    generation_.uuid()
    generation_.uuid()
    var_10 = True
    generation_.uuid(as_hex = var_10)
    generation_.uuid()
    var_13 = generation_.roman_range
    generation_.uuid(as_hex = var_13)
    var_15 = 1577
    generation_.random_string(size = var_15)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_37 = 313
    generation_.secure_random_hex(byte_count = var_37)
    generation_.uuid()
def test_39():
    var_0 = generation_.roman_range
    generation_.uuid(as_hex = var_0)
    generation_.uuid()
    generation_.uuid()
    var_4 = True
    generation_.uuid(as_hex = var_4)
    generation_.uuid()
    var_7 = generation_.roman_range
    generation_.uuid(as_hex = var_7)
    var_9 = 1577
    generation_.random_string(size = var_9)
    var_11 = True
    generation_.uuid(as_hex = var_11)
    var_13 = True
    generation_.uuid(as_hex = var_13)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_20 = 313
    generation_.secure_random_hex(byte_count = var_20)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = [336, -666.98, True])
def test_40():
    var_0 = True
    generation_.uuid(as_hex = var_0)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_7 = 336
    generation_.roman_range(stop = var_7)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_12 = True
    generation_.uuid(as_hex = var_12)
    generation_.uuid()
    var_15 = generation_.roman_range
    generation_.uuid(as_hex = var_15)
    var_17 = 1577
    generation_.random_string(size = var_17)
    generation_.uuid(as_hex = 3227.96)
def test_41():
    with pytest.raises(ValueError):
        generation_.random_string(size = {})
def test_42():
    generation_.uuid()
    var_1 = 3233
    var_2 = -637
    with pytest.raises(OverflowError):
        generation_.roman_range(stop = var_1, step = var_2)
@pytest.mark.xfail(strict=True)
def test_43():
    generation_.uuid()
    generation_.roman_range(stop = 'CA."#O')
def test_44():
    generation_.uuid()
    var_1 = -64
    with pytest.raises(ValueError):
        generation_.random_string(size = var_1)
@pytest.mark.xfail(strict=True)
def test_45():
    generation_.uuid()
    generation_.uuid()
    var_2 = generation_.uuid()
    var_3 = -869
    var_4 = -222
    generation_.roman_range(stop = var_2, start = var_3, step = var_4)
def test_46():
    var_0 = generation_.uuid()
    with pytest.raises(ValueError):
        generation_.random_string(size = var_0)
def test_47():
    generation_.uuid()
    var_1 = generation_.uuid()
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = var_1)
def test_48():
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = -3720.74)
def test_49():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_4 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = var_4)
def test_50():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    with pytest.raises(ValueError):
        generation_.random_string(size = 'Vs&@3O],F[=S7 Cg')
def test_51():
    with pytest.raises(ValueError):
        generation_.random_string(size = complex(-4.0, 267.255))
@pytest.mark.xfail(strict=True)
def test_52():
    generation_.uuid()
    var_1 = tuple
    generation_.roman_range(stop = var_1)
@pytest.mark.xfail(strict=True)
def test_53():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_9 = -3175
    generation_.roman_range(stop = '8}5ahll', start = var_9)
def test_54():
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = set())
@pytest.mark.xfail(strict=True)
def test_55():
    var_0 = -2313
    generation_.roman_range(stop = var_0, step = var_0)
@pytest.mark.xfail(strict=True)
def test_56():
    var_0 = generation_.uuid()
    generation_.roman_range(stop = 1, start = var_0)
def test_57():
    var_0 = generation_.roman_range
    generation_.uuid(as_hex = var_0)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_6 = True
    generation_.uuid(as_hex = var_6)
    generation_.uuid()
    generation_.uuid()
    var_10 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_10)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    with pytest.raises(ValueError):
        generation_.random_string(size = (1273.51,))
def test_58():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_4 = tuple
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = var_4)
def test_59():
    var_0 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_0)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = None)
def test_60():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_3 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = var_3)
def test_61():
    var_0 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_0)
    var_4 = generation_.roman_range
    generation_.uuid(as_hex = var_4)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_14 = 336
    generation_.roman_range(stop = var_14)
    with pytest.raises(ValueError):
        generation_.random_string(size = 'Expected "str", received "{}"')
def test_62():
    var_0 = True
    generation_.uuid(as_hex = var_0)
    var_2 = -2938
    with pytest.raises(ValueError):
        generation_.random_string(size = var_2)
def test_63():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_8 = 336
    generation_.roman_range(stop = var_8)
    generation_.uuid()
    generation_.uuid()
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = complex(-4023.052, 232.577788))
def test_64():
    generation_.uuid()
    generation_.uuid()
    var_2 = True
    generation_.uuid(as_hex = var_2)
    generation_.uuid()
    var_5 = generation_.roman_range
    generation_.uuid(as_hex = var_5)
    var_7 = 1577
    generation_.random_string(size = var_7)
    var_9 = generation_.roman_range
    generation_.uuid(as_hex = var_9)
    var_11 = True
    generation_.uuid(as_hex = var_11)
    var_13 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_13)
    var_17 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = var_17)
@pytest.mark.xfail(strict=True)
def test_65():
    var_0 = True
    generation_.uuid(as_hex = var_0)
    generation_.roman_range(stop = '`lV<\\&pK&')
@pytest.mark.xfail(strict=True)
def test_66():
    var_0 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_0)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_20 = 336
    generation_.roman_range(stop = var_20)
    var_22 = True
    generation_.uuid(as_hex = var_22)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_28 = True
    generation_.uuid(as_hex = var_28)
    generation_.uuid()
    var_31 = generation_.roman_range
    generation_.uuid(as_hex = var_31)
    var_33 = 1577
    generation_.random_string(size = var_33)
    generation_.uuid()
    generation_.roman_range(stop = var_31)
def test_67():
    generation_.uuid()
    generation_.uuid()
    var_2 = True
    generation_.uuid(as_hex = var_2)
    generation_.uuid()
    var_5 = generation_.roman_range
    generation_.uuid(as_hex = var_5)
    var_7 = 1577
    generation_.random_string(size = var_7)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_19 = -2563
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = var_19)
@pytest.mark.xfail(strict=True)
def test_68():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_4 = 336
    generation_.roman_range(stop = var_4)
    var_6 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_6)
    var_10 = 523
    generation_.roman_range(stop = var_10, start = complex(-2375.54, -1289.4239))
def test_69():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_8 = 336
    generation_.roman_range(stop = var_8)
    var_10 = tuple
    with pytest.raises(ValueError):
        generation_.random_string(size = var_10)
def test_70():
    with pytest.raises(ValueError):
        generation_.random_string(size = {"\n    Checks if a given string is a slug (as created by `slugify()`).\n\n    *Examples:*\n\n    >>> is_slug('my-blog-post-title') # returns true\n    >>> is_slug('My blog post title') # returns false\n\n    :param input_string: String to check.\n    :type input_string: str\n    :param separator: Join sign used by the slug.\n    :type separator: str\n    :return: True if slug, false otherwise.\n    ": 538.43, '\n    Checks if the string is a palindrome (https://en.wikipedia.org/wiki/Palindrome).\n\n    *Examples:*\n\n    >>> is_palindrome(\'LOL\') # returns true\n    >>> is_palindrome(\'Lol\') # returns false\n    >>> is_palindrome(\'Lol\', ignore_case=True) # returns true\n    >>> is_palindrome(\'ROTFL\') # returns false\n\n    :param input_string: String to check.\n    :type input_string: str\n    :param ignore_spaces: False if white spaces matter (default), true otherwise.\n    :type ignore_spaces: bool\n    :param ignore_case: False if char case matters (default), true otherwise.\n    :type ignore_case: bool\n    :return: True if the string is a palindrome (like "otto", or "i topi non avevano nipoti" if strict=False),    False otherwise\n    ': '-:(\\s"[^"]+"(?=[?.:!,;])|(?<=\\S)"[^"]+"\\s|(?<=\\S)"[^"]+"(?=[?.:!,;])|\\s\\([^)]+\\)(?=[?.:!,;])|(?<=\\S)\\([^)]+\\)\\s|(?<=\\S)(\\([^)]+\\))(?=[?.:!,;])):\n    Generated an UUID string (using `uuid.uuid4()`).\n\n    *Examples:*\n\n    >>> uuid() # possible output: \'97e3a716-6b33-4ab9-9bb1-8128cb24d76b\'\n    >>> uuid(as_hex=True) # possible output: \'97e3a7166b334ab99bb18128cb24d76b\'\n\n    :param as_hex: True to return the hex value of the UUID, False to get its default representation (default).\n    :return: uuid string.\n    '})
@pytest.mark.xfail(strict=True)
def test_71():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_4 = 336
    generation_.roman_range(stop = var_4)
    var_6 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_6)
    var_10 = generation_.roman_range
    generation_.uuid(as_hex = var_10)
    generation_.roman_range(stop = {}, start = None)
def test_72():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_5 = generation_.roman_range
    generation_.uuid(as_hex = var_5)
    with pytest.raises(ValueError):
        generation_.random_string(size = '\n    Checks if a string is formatted as camel case.\n\n    A string is considered camel case when:\n\n    - it\'s composed only by letters ([a-zA-Z]) and optionally numbers ([0-9])\n    - it contains both lowercase and uppercase letters\n    - it does not start with a number\n\n    *Examples:*\n\n    >>> is_camel_case(\'MyString\') # returns true\n    >>> is_camel_case(\'mystring\') # returns false\n\n    :param input_string: String to test.\n    :type input_string: str\n    :return: True for a camel case string, false otherwise.\n    LstopL\n    Returns the number of words contained into the given string.\n\n    This method is smart, it does consider only sequence of one or more letter and/or numbers\n    as "words", so a string like this: "! @ # % ... []" will return zero!\n    Moreover it is aware of punctuation, so the count for a string like "one,two,three.stop"\n    will be 4 not 1 (even if there are no spaces in the string).\n\n    *Examples:*\n\n    >>> words_count(\'hello world\') # returns 2\n    >>> words_count(\'one,two,three.stop\') # returns 4\n\n    :param input_string: String to check.\n    :type input_string: str\n    :return: Number of words.\n    L^4\\d{12}(?:\\d{3})?$')
def test_73():
    var_0 = -1
    with pytest.raises(ValueError):
        generation_.random_string(size = var_0)
@pytest.mark.xfail(strict=True)
def test_74():
    var_0 = generation_.roman_range
    generation_.uuid(as_hex = var_0)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_16 = True
    generation_.uuid(as_hex = var_16)
    generation_.uuid()
    var_19 = generation_.roman_range
    generation_.uuid(as_hex = var_19)
    var_21 = 1577
    generation_.random_string(size = var_21)
    var_23 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_23)
    var_27 = True
    generation_.uuid(as_hex = var_27)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_33 = 336
    generation_.roman_range(stop = var_33)
    generation_.roman_range(stop = var_27, start = var_16, step = var_19)
def test_75():
    var_0 = True
    generation_.uuid(as_hex = var_0)
    generation_.uuid()
    generation_.uuid()
    var_4 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_4)
    generation_.uuid()
    with pytest.raises(ValueError):
        generation_.random_string(size = [-874.09, -3682.85, -1422])
def test_76():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_8 = generation_.roman_range
    generation_.uuid(as_hex = var_8)
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = None)
def test_77():
    var_0 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_0)
    var_4 = generation_.roman_range
    generation_.uuid(as_hex = var_4)
    generation_.uuid()
    generation_.uuid()
    var_8 = True
    generation_.uuid(as_hex = var_8)
    generation_.uuid()
    var_11 = generation_.roman_range
    generation_.uuid(as_hex = var_11)
    var_13 = 1577
    generation_.random_string(size = var_13)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_19 = True
    generation_.uuid(as_hex = var_19)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = var_11)
@pytest.mark.xfail(strict=True)
def test_78():
    var_0 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_0)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_12 = generation_.roman_range
    generation_.uuid(as_hex = var_12)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_22 = 336
    generation_.roman_range(stop = var_22)
    var_24 = True
    generation_.uuid(as_hex = var_24)
    generation_.uuid()
    generation_.uuid()
    var_28 = True
    generation_.uuid(as_hex = var_28)
    generation_.uuid()
    var_31 = generation_.roman_range
    generation_.uuid(as_hex = var_31)
    var_33 = 1577
    generation_.random_string(size = var_33)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_43 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_46 = 3233
    generation_.roman_range(stop = var_46, start = var_43)
def test_79():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_9 = complex
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = var_9)
@pytest.mark.xfail(strict=True)
def test_80():
    var_0 = 208
    var_1 = str
    generation_.roman_range(stop = var_0, step = var_1)
def test_81():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_9 = True
    generation_.uuid(as_hex = var_9)
    var_11 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_11)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_26 = True
    var_27 = generation_.uuid(as_hex = var_26)
    generation_.uuid()
    var_29 = generation_.roman_range
    generation_.uuid(as_hex = var_29)
    var_31 = 1577
    generation_.random_string(size = var_31)
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = var_27)
@pytest.mark.xfail(strict=True)
def test_82():
    generation_.roman_range(stop = '&Q(%Q:=-D')
@pytest.mark.xfail(strict=True)
def test_83():
    var_0 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_6 = True
    generation_.uuid(as_hex = var_6)
    generation_.uuid()
    var_9 = generation_.roman_range
    generation_.uuid(as_hex = var_9)
    var_11 = 1577
    generation_.random_string(size = var_11)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_26 = 336
    generation_.roman_range(stop = var_26)
    var_28 = generation_.roman_range
    generation_.uuid(as_hex = var_28)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_39 = True
    generation_.uuid(as_hex = var_39)
    var_41 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_41)
    var_45 = 2237
    generation_.roman_range(stop = var_0, step = var_45)
def test_84():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_6 = 336
    generation_.roman_range(stop = var_6)
    var_8 = generation_.roman_range
    generation_.uuid(as_hex = var_8)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_27 = True
    generation_.uuid(as_hex = var_27)
    generation_.uuid()
    with pytest.raises(OverflowError):
        generation_.roman_range(stop = var_27, step = var_27)
@pytest.mark.xfail(strict=True)
def test_85():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_3 = generation_.uuid()
    var_4 = 336
    generation_.roman_range(stop = var_4)
    var_6 = True
    generation_.uuid(as_hex = var_6)
    generation_.uuid()
    generation_.uuid()
    var_10 = True
    generation_.uuid(as_hex = var_10)
    generation_.uuid()
    var_13 = generation_.roman_range
    generation_.uuid(as_hex = var_13)
    var_15 = 1577
    generation_.random_string(size = var_15)
    generation_.roman_range(stop = var_3, start = var_4)
def test_86():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_11 = True
    generation_.uuid(as_hex = var_11)
    generation_.uuid()
    generation_.uuid()
    var_15 = True
    generation_.uuid(as_hex = var_15)
    generation_.uuid()
    var_18 = generation_.roman_range
    generation_.uuid(as_hex = var_18)
    var_20 = 1577
    generation_.random_string(size = var_20)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_31 = generation_.roman_range
    generation_.uuid(as_hex = var_31)
    with pytest.raises(ValueError):
        generation_.random_string(size = complex(1137.2636, -768.822636))
def test_87():
    generation_.uuid()
    generation_.uuid()
    var_2 = True
    generation_.uuid(as_hex = var_2)
    generation_.uuid()
    var_5 = generation_.roman_range
    generation_.uuid(as_hex = var_5)
    var_7 = 1577
    generation_.random_string(size = var_7)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_17 = generation_.roman_range
    generation_.uuid(as_hex = var_17)
    var_19 = True
    generation_.uuid(as_hex = var_19)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_31 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_31)
    var_35 = -2135
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = var_35)
def test_88():
    generation_.uuid()
    generation_.uuid()
    var_2 = True
    generation_.uuid(as_hex = var_2)
    generation_.uuid()
    var_5 = generation_.roman_range
    generation_.uuid(as_hex = var_5)
    var_7 = 1577
    generation_.random_string(size = var_7)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_15 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_26 = 336
    generation_.roman_range(stop = var_26)
    var_28 = generation_.roman_range
    generation_.uuid(as_hex = var_28)
    with pytest.raises(ValueError):
        generation_.random_string(size = var_15)
@pytest.mark.xfail(strict=True)
def test_89():
    var_0 = generation_.roman_range
    generation_.uuid(as_hex = var_0)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_8 = True
    generation_.uuid(as_hex = var_8)
    generation_.uuid()
    var_11 = generation_.roman_range
    generation_.uuid(as_hex = var_11)
    var_13 = 1577
    generation_.random_string(size = var_13)
    var_15 = -556
    generation_.roman_range(stop = var_15)
def test_90():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_19 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_19)
    generation_.uuid()
    generation_.uuid()
    var_25 = True
    generation_.uuid(as_hex = var_25)
    generation_.uuid()
    var_28 = generation_.roman_range
    generation_.uuid(as_hex = var_28)
    var_30 = 1577
    generation_.random_string(size = var_30)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_41 = 336
    generation_.roman_range(stop = var_41)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_47 = 313
    generation_.secure_random_hex(byte_count = var_47)
    var_49 = True
    generation_.uuid(as_hex = var_49)
    with pytest.raises(ValueError):
        generation_.random_string(size = -576.92)
@pytest.mark.xfail(strict=True)
def test_91():
    generation_.roman_range(stop = None, start = '  \n    Returns the number of words contained into the given string.\n\n    This method is smart, it does consider only sequence of one or more letter and/or numbers\n    as "words", so a string like this: "! @ # % ... []" will return zero!\n    Moreover it is aware of punctuation, so the count for a string like "one,two,three.stop"\n    will be 4 not 1 (even if there are no spaces in the string).\n\n    *Examples:*\n\n    >>> words_count(\'hello world\') # returns 2\n    >>> words_count(\'one,two,three.stop\') # returns 4\n\n    :param input_string: String to check.\n    :type input_string: str\n    :return: Number of words.\n    ')
def test_92():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_3 = True
    generation_.uuid(as_hex = var_3)
    generation_.uuid()
    var_6 = generation_.roman_range
    generation_.uuid(as_hex = var_6)
    var_8 = 1577
    generation_.random_string(size = var_8)
    var_10 = generation_.roman_range
    generation_.uuid(as_hex = var_10)
    generation_.uuid()
    var_13 = generation_.uuid()
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = var_13)
def test_93():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_13 = True
    generation_.uuid(as_hex = var_13)
    generation_.uuid()
    var_16 = generation_.roman_range
    generation_.uuid(as_hex = var_16)
    var_18 = 1577
    generation_.random_string(size = var_18)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_24 = 336
    generation_.roman_range(stop = var_24)
    var_26 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_26)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = None)
def test_94():
    var_0 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_0)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_8 = 336
    generation_.roman_range(stop = var_8)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_14 = True
    generation_.uuid(as_hex = var_14)
    var_16 = generation_.roman_range
    generation_.uuid(as_hex = var_16)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_21 = True
    generation_.uuid(as_hex = var_21)
    generation_.uuid()
    var_24 = generation_.roman_range
    generation_.uuid(as_hex = var_24)
    var_26 = 1577
    generation_.random_string(size = var_26)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_37 = -1
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = var_37)
def test_95():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_12 = 336
    generation_.roman_range(stop = var_12)
    var_14 = generation_.roman_range
    generation_.uuid(as_hex = var_14)
    generation_.uuid()
    generation_.uuid()
    var_18 = True
    generation_.uuid(as_hex = var_18)
    generation_.uuid()
    var_21 = generation_.roman_range
    generation_.uuid(as_hex = var_21)
    var_23 = 1577
    generation_.random_string(size = var_23)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_44 = 313
    generation_.secure_random_hex(byte_count = var_44)
    var_46 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_46)
    var_50 = True
    generation_.uuid(as_hex = var_50)
    with pytest.raises(ValueError):
        generation_.random_string(size = False)
@pytest.mark.xfail(strict=True)
def test_96():
    var_0 = 545
    var_1 = -2598
    generation_.roman_range(stop = var_0, start = var_1, step = var_0)
def test_97():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_3 = -3717
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = var_3)
def test_98():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_11 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_14 = 313
    generation_.secure_random_hex(byte_count = var_14)
    var_16 = generation_.roman_range
    generation_.uuid(as_hex = var_16)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_26 = 336
    generation_.roman_range(stop = var_26)
    with pytest.raises(ValueError):
        generation_.random_string(size = var_11)
@pytest.mark.xfail(strict=True)
def test_99():
    var_0 = generation_.uuid()
    var_1 = 3
    generation_.roman_range(stop = var_1, start = var_0, step = False)
def test_100():
    var_0 = True
    generation_.uuid(as_hex = var_0)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_14 = 336
    generation_.roman_range(stop = var_14)
    var_16 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_16)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_26 = str
    with pytest.raises(ValueError):
        generation_.random_string(size = var_26)
def test_101():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_4 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_4)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_19 = True
    generation_.uuid(as_hex = var_19)
    generation_.uuid()
    var_22 = generation_.roman_range
    generation_.uuid(as_hex = var_22)
    var_24 = 1577
    generation_.random_string(size = var_24)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_30 = 313
    generation_.secure_random_hex(byte_count = var_30)
    var_32 = lambda *args, **kwargs: '(S|u,h'
    with pytest.raises(ValueError):
        generation_.secure_random_hex(byte_count = var_32)
@pytest.mark.xfail(strict=True)
def test_102():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_23 = True
    generation_.uuid(as_hex = var_23)
    var_25 = generation_.roman_range
    generation_.uuid(as_hex = var_25)
    generation_.roman_range(stop = [], step = var_23)
def test_103():
    var_0 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_0)
    var_4 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_8 = generation_.roman_range
    generation_.uuid(as_hex = var_8)
    with pytest.raises(ValueError):
        generation_.random_string(size = var_4)
@pytest.mark.xfail(strict=True)
def test_104():
    var_0 = object
    generation_.roman_range(stop = var_0)
@pytest.mark.xfail(strict=True)
def test_105():
    var_0 = True
    generation_.uuid(as_hex = var_0)
    var_2 = generation_.uuid()
    var_3 = -2889
    generation_.roman_range(stop = var_2, step = var_3)
@pytest.mark.xfail(strict=True)
def test_106():
    generation_.uuid()
    generation_.uuid()
    var_2 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_15 = True
    generation_.uuid(as_hex = var_15)
    generation_.uuid()
    var_18 = generation_.roman_range
    generation_.uuid(as_hex = var_18)
    var_20 = 1577
    generation_.random_string(size = var_20)
    generation_.roman_range(stop = var_2)
def test_107():
    var_0 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_0)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_8 = 336
    var_9 = generation_.roman_range(stop = var_8)
    with pytest.raises(ValueError):
        generation_.random_string(size = var_9)
@pytest.mark.xfail(strict=True)
def test_108():
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_13 = 313
    generation_.secure_random_hex(byte_count = var_13)
    var_15 = generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid(as_hex = var_15)
    var_19 = True
    generation_.uuid(as_hex = var_19)
    var_21 = True
    generation_.uuid(as_hex = var_21)
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    generation_.uuid()
    var_37 = 2563
    var_38 = 1126
    generation_.roman_range(stop = var_37, start = (1577,), step = var_38)
