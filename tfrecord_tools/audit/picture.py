"""The histograms of an audit as a picture: PNG, or a page of HTML with the report below it.

matplotlib comes with the extra `data` and is imported when a picture is drawn.
"""

import base64
import html
import io
import os

from bert_keras.errors import InputError
from bert_keras.files import write_bytes, write_text
from tfrecord_tools.audit.report import Report

ENDINGS = (".png", ".html")
COLOR, SECOND, THIRD = "#4477aa", "#ccbb44", "#ee6677"
MAX_BARS = 64  # more values than these are put together
DPI = 150

PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>Audit of records</title>
<img alt="Histograms of lengths, predictions, pieces a word and labels" style="max-width: 100%"
 src="data:image/png;base64,{picture}">
<pre>{report}</pre>
</html>
"""


def check_picture(path: str) -> None:
    """Raises InputError if no picture could be drawn, before an hour went into reading."""
    if os.path.splitext(path)[1].lower() not in ENDINGS:
        raise InputError(f"--picture must end in {' or '.join(ENDINGS)}. Received: {path}")
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise InputError(
            "--picture needs matplotlib: pip install 'bert_keras[data]', or leave the flag out."
        ) from error


def write_picture(report: Report, path: str) -> None:
    """Draws the histograms of a report; the ending of the file says how it is written."""
    picture = draw(report.values)
    if path.lower().endswith(".html"):
        encoded = base64.b64encode(picture).decode("ascii")
        write_text(path, PAGE.format(picture=encoded, report=html.escape(str(report))))
    else:
        write_bytes(path, picture)


def draw(values: dict) -> bytes:
    """Returns a PNG of the histograms that the values hold; see `Report.values`."""
    from matplotlib.figure import Figure

    panels = [(name, panel) for name, panel in PANELS.items() if any(values.get(name, []))]
    num_rows = (len(panels) + 1) // 2
    figure = Figure(figsize=(10, 0.5 + 2.7 * max(1, num_rows)), layout="constrained")
    figure.suptitle(f"{values['num_records']:,} records", fontsize=12)
    grid = figure.add_gridspec(max(1, num_rows), 2)
    is_odd = len(panels) % 2  # then the first panel is as wide as the picture
    for place, (name, panel) in enumerate(panels):
        row, column = divmod(place + (place > 0) * is_odd, 2)
        is_wide = is_odd and place == 0
        axes = figure.add_subplot(grid[row, slice(None) if is_wide else column])
        axes.spines[["top", "right"]].set_visible(False)
        panel(axes, values[name])
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=DPI)
    return content.getvalue()


def _draw_lengths(axes, histogram: list[int]) -> None:
    _draw_histogram(axes, histogram, "tokens of a record", "records")


def _draw_predictions(axes, histogram: list[int]) -> None:
    _draw_histogram(axes, histogram, "predictions of a record", "records")


def _draw_pieces(axes, histogram: list[int]) -> None:
    most = len(histogram) - 1
    num_words = sum(histogram)
    shares = [100 * count / num_words for count in histogram[1:]]
    bars = axes.bar(range(1, most + 1), shares, color=COLOR, width=0.85)
    axes.bar_label(bars, [f"{share:.1f}" if share >= 0.05 else "" for share in shares], fontsize=8)
    axes.set_xticks(range(1, most + 1), [*map(str, range(1, most)), f"≥ {most}"])
    axes.set_xlabel("pieces of a word")
    axes.set_ylabel("% of words")


def _draw_labels(axes, histogram: list[int]) -> None:
    _draw_shares(axes, histogram, ["label 0", "label 1"], "% of pairs")


def _draw_masks(axes, histogram: list[int]) -> None:
    _draw_shares(axes, histogram, ["[MASK]", "kept", "random"], "% of masked tokens")


def _draw_histogram(axes, histogram: list[int], name: str, of_what: str) -> None:
    """Bars from the least to the greatest value, several values a bar if there are many."""
    first = next(value for value, count in enumerate(histogram) if count)
    last = max(value for value, count in enumerate(histogram) if count)
    width = -(-(last - first + 1) // MAX_BARS)
    starts = range(first, last + 1, width)
    counts = [sum(histogram[start : start + width]) for start in starts]
    axes.bar(
        starts, counts, width=0.9 * width, align="edge" if width > 1 else "center", color=COLOR
    )
    num = sum(histogram)
    mean = sum(value * count for value, count in enumerate(histogram)) / num
    axes.axvline(mean, color=THIRD, linewidth=1.5)
    axes.set_xlabel(f"{name} (mean {mean:.1f})")
    axes.set_xlim(first - width, last + width)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_yscale("log")  # full records often outnumber all others
    axes.set_ylim(bottom=0.8)
    axes.set_ylabel(f"{of_what} (logarithmic)")
    axes.yaxis.set_major_formatter("{x:,.0f}")


def _draw_shares(axes, histogram: list[int], names: list[str], of_what: str) -> None:
    shares = [100 * count / sum(histogram) for count in histogram]
    bars = axes.barh(names, shares, color=[COLOR, SECOND, THIRD][: len(names)], height=0.6)
    axes.bar_label(bars, [f"{share:.1f}" for share in shares], padding=3)
    axes.invert_yaxis()
    axes.set_xlim(0, 110)
    axes.set_xlabel(of_what)


PANELS = {
    "length_histogram": _draw_lengths,
    "prediction_histogram": _draw_predictions,
    "piece_histogram": _draw_pieces,
    "label_histogram": _draw_labels,
    "mask_histogram": _draw_masks,
}
