"""One tensor as it lies in a file: its values from some byte on, little-endian, row by row."""

import dataclasses
import math

import google_crc32c
import ml_dtypes
import numpy as np

from bert_keras.errors import InputError
from bert_keras.files import has_scheme, named_errors, open_bytes

# What can be read; float16 and bfloat16 become float32 without rounding.
DTYPES = {
    "float32": np.dtype("<f4"),
    "float16": np.dtype("<f2"),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "int64": np.dtype("<i8"),
}
LEAST_MAPPED = 2**16  # bytes; each mapped tensor holds a file descriptor, and processes have 1024
MOST_AXES = 32  # of a NumPy array of any version
# Axes cost memory where there are no values: a classifier has as many names of classes as rows.
MOST_OF_EMPTY = 2**20  # product of the axes that are not 0, of an array without values


@dataclasses.dataclass(frozen=True)
class StoredTensor:
    """Where a tensor lies and what it is.

    `dtype` is a name; one that is not of `DTYPES` is an error when the tensor is read, so that a
    file may hold it. The CRC-32C of `checksum_begin` and the `num_bytes` at `offset` is `checksum`;
    None: the file has none.
    """

    file: str
    offset: int
    num_bytes: int
    dtype: str
    shape: tuple[int, ...]
    checksum: int | None
    checksum_begin: bytes = b""

    def read(self, name: str) -> np.ndarray:
        """Returns the values, float32 or int64; large float32 of local files is mapped, not copied.

        Raises:
            InputError: another type; the file cannot be read, is cut short or altered.
        """
        if self.dtype not in DTYPES:
            raise InputError(
                f"Weights must be of the types {', '.join(DTYPES)}. "
                f"Received: {name} of type {self.dtype} in {self.file}. Convert it first."
            )
        content = self._content()
        if self.checksum is not None:
            begin = google_crc32c.value(self.checksum_begin)
            if google_crc32c.extend(begin, content) != self.checksum:
                raise damaged(self.file, f"{name} does not have its checksum")
        values = content.view(DTYPES[self.dtype]).reshape(self.shape)
        target = np.int64 if self.dtype == "int64" else np.float32
        return np.require(values.astype(target, copy=False), requirements="A")

    def _content(self) -> np.ndarray:
        if not self.num_bytes:
            return np.empty(0, np.uint8)
        with named_errors(self.file, "read"):
            if self.num_bytes >= LEAST_MAPPED and not has_scheme(self.file):
                return self._mapped()
            with open_bytes(self.file) as file:
                file.seek(self.offset)
                content = file.read(self.num_bytes)
        if len(content) != self.num_bytes:
            raise damaged(self.file, "it is cut short")
        return np.frombuffer(content, np.uint8)

    def _mapped(self) -> np.ndarray:
        """Pages of the file, given back with the array: a file of any size takes one tensor's."""
        try:
            return np.memmap(self.file, np.uint8, "r", self.offset, (self.num_bytes,))
        except ValueError as error:  # it has become shorter since its size was taken
            raise damaged(self.file, "it is cut short") from error


def check_bounds(tensor: StoredTensor, name: str, value_size: int, file_size: int) -> None:
    """Holds what a file says of a tensor against its size, before any of it is read.

    Args:
        tensor: what the file says.
        name: of the tensor.
        value_size: the bytes of one of its values; 0: they differ, as those of strings.
        file_size: the bytes of the file that the values are in.

    Raises:
        InputError: shape and type do not give its number of bytes; it ends after the file; no array
            of these bytes has such a shape.
    """
    # Two values a byte: the smallest types have 4 bits.
    most_values = MOST_OF_EMPTY if 0 in tensor.shape else 2 * tensor.num_bytes
    if len(tensor.shape) > MOST_AXES or math.prod(filter(None, tensor.shape)) > most_values:
        raise damaged(tensor.file, f"{name} has the shape {str(list(tensor.shape))[:100]}")
    if value_size and math.prod(tensor.shape) * value_size != tensor.num_bytes:
        raise damaged(
            tensor.file,
            f"{name} of shape {list(tensor.shape)} and type {tensor.dtype} has {tensor.num_bytes} "
            "bytes",
        )
    end = tensor.offset + tensor.num_bytes
    if min(tensor.offset, tensor.num_bytes) < 0 or end > file_size:
        raise damaged(tensor.file, f"{name} is at bytes {tensor.offset} to {end} of {file_size}")


def damaged(file: str, what: str) -> InputError:
    """The error for a file whose content contradicts itself."""
    return InputError(
        f"{file} is cut short or damaged: {what[:300]}. Copy or download it again, and compare its "
        "size."
    )
