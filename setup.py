"""Everything is said in setup.cfg, but that an sdist holds the tests and experiments too."""

from pathlib import Path

from setuptools import setup
from setuptools.command.sdist import sdist


class SourceDistribution(sdist):
    """The packages, and beside them what it takes to test them."""

    def make_distribution(self):
        for folder in (".ci", "tests", "experiments"):
            paths = [path for path in sorted(Path(folder).rglob("*")) if path.is_file()]
            self.filelist.extend(str(path) for path in paths if path.suffix != ".pyc")
        self.filelist.extend([".ruff.toml", ".pre-commit-config.yaml"])
        super().make_distribution()


setup(cmdclass={"sdist": SourceDistribution})
