"""The models that the Python package has: acqnp.torch of this checkout."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../python"))

from acqnp.torch import _encoders as encoders, _layers as layers, _method as method  # noqa: E402, F401
