"""Everything is said in setup.cfg; only the tests need a word here, to be part of the sdist."""

from pathlib import Path

from setuptools import setup
from setuptools.command.sdist import sdist


class SourceDistribution(sdist):
    """The sources with their tests and experiments, without a manifest beside them."""

    def add_defaults(self):
        super().add_defaults()
        for folder in ("tests", "experiments"):
            self.filelist.extend(str(path) for path in sorted(Path(folder).rglob("*.*")))
        self.filelist.extend([".ruff.toml", ".pre-commit-config.yaml", ".ci/run"])


setup(cmdclass={"sdist": SourceDistribution})
