"""Training: examples with truth → the small data files that methods read.

A module here has the name of the method whose parameters it makes, and one public function,
`fit(examples) → arrays`. `NEEDS_LAYOUT = True` says that its examples must be rendered pages,
`SEES_HIDDEN = True` that they include hidden segments. `folds(examples)` belongs to trainers that
cross-validate themselves: it returns the arrays of all pages, then those without each fold.
`read_pages(folder, limit, progress, folds)` belongs to trainers that do not learn from texts.
The engine makes the columns that these learn from; `folds` has engines that were not trained on the
site of a page.
"""

from __future__ import annotations

import importlib.util
import pkgutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from tearsheet import datasets, parameters, plugins
from tearsheet.datasets import FOLDS, fold_number
from tearsheet.errors import FetchFailed, MissingExtra, UnknownName

if TYPE_CHECKING:
    from tearsheet.learn.examples import LabelledPage
    from tearsheet.parameters import Arrays

DRAWN: Final = 240
"""Pages that the browser draws if a method needs layout, no other number is asked for, and there
are no complete saves."""

PARTS: Final = ("forest_looks",)
"""Parts of a method that are trained by themselves, on pages of their own."""

Progress = Callable[[int, int], None]


def names() -> tuple[str, ...]:
    """The names that can be trained: methods, and other files of parameters."""
    own = {module.name for module in pkgutil.iter_modules(__path__)}
    return tuple(sorted(own & {*plugins.names("methods"), *PARTS, "roles"}))


def load_trainer(name: str) -> ModuleType:
    """The module that trains a method; an unknown name lists the known ones."""
    if name not in names():
        raise UnknownName("method to train", name, names())
    return importlib.import_module(f"{__name__}.{name}")


def check_packages(what: str, trainer: ModuleType) -> None:
    """Raises for a missing package before any page is read, since reading takes minutes. `what`
    is the command or the option that needs it."""
    for package in getattr(trainer, "USES", ()):
        if importlib.util.find_spec(package) is None:
            raise MissingExtra(what, package, "forest")


def needs_layout(trainer: ModuleType) -> bool:
    """Whether a trainer's examples must be rendered pages."""
    return bool(getattr(trainer, "NEEDS_LAYOUT", False))


def sees_hidden(trainer: ModuleType) -> bool:
    """Whether a trainer's examples include hidden segments."""
    return bool(getattr(trainer, "SEES_HIDDEN", False))


def train(
    name: str,
    data: Path,
    *,
    folder: Path = parameters.FOLDER,
    limit: int | None = None,
    folds: Path | None = None,
    progress: Progress = lambda done, total: None,
) -> Arrays:
    """Trains a method on the data sets of a folder and writes its two files.

    The same data and versions give the same bytes. `limit` takes that many pages, evenly chosen;
    `folds` is where the parameters trained without each fold of domains go, for evaluation.
    """
    trainer = load_trainer(name)
    check_packages(f"tearsheet train {name}", trainer)
    if name in PARTS:
        return _train_part(name, trainer, data, folder, folds, progress)
    used: Counter[str] = Counter()
    judged, examples = _read_examples(trainer, data, limit, used, progress, folds)
    if not judged:
        raise FetchFailed(f"{data} has no pages with truth to learn from", code="no-data")
    arrays: Arrays
    if hasattr(trainer, "folds"):
        arrays, *parts = trainer.folds(examples)
        if folds is not None:
            save_folds(name, parts, folds)
        print(trainer.report(judged, parts))
    else:
        pages = list(examples)
        arrays = trainer.fit(pages)
        if folds is not None:
            save_folds(name, fit_folds(trainer, pages), folds)
    parameters.save(name, arrays, training_record(name, trainer, used), folder)
    return arrays


def _read_examples(
    trainer: ModuleType,
    data: Path,
    limit: int | None,
    used: Counter[str],
    progress: Progress,
    folds: Path | None,
) -> tuple[Sequence[Any], Iterable[Any]]:
    """The pages that a trainer is judged on, and the examples that it learns from."""
    if hasattr(trainer, "read_pages"):
        pages = trainer.read_pages(data, limit, progress, folds)
        used.update(trainer.count_pages(pages))
        return pages, pages
    chosen = choose_pages(trainer, data, limit)
    return [page for _, page in chosen], label_pages(trainer, chosen, used, progress)


def _train_part(
    name: str,
    trainer: ModuleType,
    data: Path,
    folder: Path,
    folds: Path | None,
    progress: Progress,
) -> Arrays:
    """Trains a part on the saves below a folder, and writes its two files."""
    pages = trainer.read_saves(data, progress, folds)
    arrays: Arrays
    arrays, *parts = trainer.folds(pages) if folds is not None else [trainer.fit(pages)]
    if folds is not None:
        save_folds(name, parts, folds)
    record = training_record(name, trainer, {"saves": len(pages)})
    parameters.save(name, arrays, record, folder)
    return arrays


def ablate(
    name: str,
    data: Path,
    groups: Sequence[str],
    *,
    limit: int | None = None,
    judged: int | None = None,
    folds: Path | None = None,
    progress: Progress = lambda done, total: None,
) -> str:
    """Trains a method with all its columns and without each group of them, and gives the F1 of
    each as a table; nothing is written. `judged` is the number of folds that are judged."""
    trainer = load_trainer(name)
    if not hasattr(trainer, "ablate"):
        known = [one for one in names() if hasattr(load_trainer(one), "ablate")]
        raise UnknownName("method with groups of columns", name, known)
    check_packages(f"tearsheet train {name}", trainer)
    if name in PARTS:
        of_part: str = trainer.ablate(trainer.read_saves(data, progress, folds), groups)
        return of_part
    chosen = choose_pages(trainer, data, limit)
    if not chosen:
        raise FetchFailed(f"{data} has no pages with truth to learn from", code="no-data")
    examples = label_pages(trainer, chosen, Counter(), progress)
    table: str = trainer.ablate(examples, [page for _, page in chosen], groups, judged or FOLDS)
    return table


def choose_pages(
    trainer: ModuleType, data: Path, limit: int | None
) -> list[tuple[str, datasets.Example]]:
    """The pages of a folder's data sets that a method is trained on, each with its set's name."""
    from tearsheet.learn import examples

    if needs_layout(trainer) and (data / "saves" / "pages.json").is_file():
        found = {"saves": datasets.read_set("saves", data / "saves")}
    else:
        found = examples.read_sets(data)
        if needs_layout(trainer):  # most pages have lost their style sheets
            found = {key: examples.keep_styled(pages) for key, pages in found.items()}
            limit = limit or DRAWN
    pairs = [(key, page) for key, pages in found.items() for page in pages]
    return datasets.choose_evenly(pairs, limit)


def label_pages(
    trainer: ModuleType,
    chosen: Sequence[tuple[str, datasets.Example]],
    used: Counter[str],
    progress: Progress,
) -> Iterator[LabelledPage]:
    """The pages as the trainer wants to see them; `used` counts them by set."""
    from tearsheet.learn import examples

    drawn, hidden = needs_layout(trainer), sees_hidden(trainer)
    for i, (key, page) in enumerate(chosen):
        progress(i, len(chosen))
        for example in examples.label([page], drawn=drawn, hidden=hidden):
            used[key] += 1
            yield example
    progress(len(chosen), len(chosen))


def fit_folds(trainer: ModuleType, examples: Sequence[LabelledPage]) -> Iterator[Arrays]:
    """For each fold of domains, the parameters that are learnt without it."""
    if hasattr(trainer, "folds"):
        yield from trainer.folds(examples)[1:]
        return
    for number in range(FOLDS):
        yield trainer.fit([page for page in examples if fold_number(page.domain) != number])


def save_folds(name: str, parts: Iterable[Arrays], folder: Path, **more: Any) -> None:
    """Writes the parameters trained without each fold, to the files of `fold_files`."""
    for number, (part, file) in enumerate(zip(parts, fold_files(name, folder))):
        file.parent.mkdir(parents=True, exist_ok=True)
        record = {"method": name, "without_fold": number} | more
        parameters.save(name, part, record, file.parent)


def fold_files(name: str, folder: Path) -> list[Path]:
    """The files of a method's parameters, one for each fold."""
    return [folder / str(number) / f"{name}.npz" for number in range(FOLDS)]


@contextmanager
def engine_of_fold(number: int, folds: Path | None) -> Iterator[None]:
    """Within the block, the engine is the one that was trained without a fold; without a folder of
    such engines, or with an empty one, it is that of the package."""
    if folds is None or not (file := fold_files("forest", folds)[number]).is_file():
        yield
        return
    with parameters.use("forest", parameters.read("forest", file.parent)):
        yield


def training_record(name: str, trainer: ModuleType, used: Mapping[str, int]) -> dict[str, Any]:
    """The training data of the parameters, for the file beside them."""
    return {
        "method": name,
        "data": [
            {"set": key, "pages": count, "licence": datasets.licence(key)}
            for key, count in used.items()
        ],
        "seed": getattr(trainer, "SEED", None),
        "versions": {
            key: metadata.version(key)
            for key in ("numpy", "scikit-learn", *getattr(trainer, "USES", ()))
        },
    }
