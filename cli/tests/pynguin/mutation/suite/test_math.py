#  This file was automatically generated using Pynguin.

import pytest
import sys
import flutes.math
math_ = sys.modules['flutes.math']
def test_0():
    var_0 = 1947
    var_1 = math_.ceil_div(a = 480.71, b = var_0)
    assert var_1 == pytest.approx(1.0, abs=0.01, rel=0.01)
