"""Run the command line as ``python -m trajectory.cli``."""

import sys

from trajectory.cli.main import main

sys.exit(main())
