"""``python -m taxogrove`` is ``grove``."""

import sys

from ._cli import main

sys.exit(main())
