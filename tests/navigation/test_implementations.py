"""One call lists what implements a type or a method of it."""

import pytest

from ggrep.model.navigation import SymbolRequest, SymbolResponse
from ggrep.search.engine import engine as engines
from ggrep.search.engine.engine import Engine
from tests.fakes.mentions import InProcessMentions
from tests.fakes.repos import IndexOf

FILES = {
    "py/base.py": (
        "import abc\n\n\n"
        "class Storage(abc.ABC):\n"
        '    """Keeps blobs. A class of Storage is chosen by settings."""\n\n'
        "    @abc.abstractmethod\n"
        "    def load(self, key): ...\n"
    ),
    "py/disk.py": (
        "from py import base\n"
        "from py.base import Storage\n\n\n"
        "class Disk(base.Storage):\n"
        "    def load(self, key):\n"
        "        return open(key)\n\n\n"
        "class Quick(\n"
        "    Cached[Disk],\n"
        "    Disk,\n"
        "):\n"
        "    pass\n\n\n"
        "class Mapped(Quick):\n"
        "    def load(self, key):\n"
        "        return Storage\n\n\n"
        "class Box(Generic[Storage]):\n"
        "    def load(self, key):\n"
        "        return key\n"
    ),
    "tests/test_disk.py": "class FakeStorage(Storage):\n    def load(self, key): ...\n",
    "ts/storage.ts": "export class Remote extends Storage {\n  load() {}\n}\n",
    "rs/lib.rs": (
        "pub trait Codec: Send {\n    fn decode(&self);\n}\n\n"
        "pub struct Gzip;\n\n"
        "impl Codec for Gzip {\n    fn decode(&self) {}\n}\n\n"
        "impl<T: Codec> Codec for Buffered<T> {\n    fn decode(&self) {}\n}\n\n"
        "impl Gzip {\n    fn decode_all(&self, with: &dyn Codec) {}\n}\n"
    ),
    "rs/wind.rs": (
        "impl crate::Wind for Gzip {}\n\nunsafe impl Wind for Tape {}\n\n"
        "impl !Wind for Vent {}\n\npub trait Gale: Wind {}\n\nimpl Gale for Fan {}\n\n"
        "pub fn wind() {}\n"
    ),
    "rb/first.rb": "class Add < Migration[4.2]\nend\n\nclass Two < Gem; end; class Ten < Gem; end",
    "php/a.php": "<?php\nclass Late extends \\Http\\Reply implements \\Sent {\n}\n",
    "kt/gate.kt": (
        "open class Portal\n\nclass Gate(val a: () -> Unit = { run(1) }) : Portal()\n\n"
        "fun make() = object : Portal() {}\n\nval made = object : Portal() {}\n"
    ),
    "py/odd.py": 'class Odd(\n    Table["a: b"],  # c: d\n    Row,\n):\n    pass\n',
    "ts/pair.ts": "class Pair<P = {}> extends Quart<P> {}\n\nconst Anon = class extends Quart {}\n",
    "go/store/store.go": (
        "package store\n\n"
        "type Opener interface {\n\tOpen(name, mode string) error\n}\n\n"
        "type Store interface {\n\tOpener\n\tKeep(key string, value []byte) error\n\terror\n}\n\n"
        "type Disk struct{}\n\n"
        "func (d *Disk) Open(name string, mode string) error { return nil }\n\n"
        "func (d *Disk) Keep(key string, value []byte) error { return nil }\n\n"
        'func (d *Disk) Error() string { return "" }\n'
    ),
    "go/store/half.go": (
        "package store\n\n"
        "type Half struct{}\n\n"
        "type Shut interface {\n\tio.Closer\n\tKeep(string, []byte) error\n}\n\n"
        "func (h Half) Open(name, mode string) error { return nil }\n"
    ),
    "go/cloud/cloud.go": (
        "package cloud\n\n"
        "type Bucket[T any] struct{}\n\n"
        "func (b *Bucket[T]) Open(name, mode string) error { return nil }\n\n"
        "func (b *Bucket[T]) Keep(key string, value []byte) error { return nil }\n\n"
        'func (b *Bucket[T]) Error() string { return "" }\n\n'
        "type Loose struct{}\n\n"
        "func (l *Loose) Open(name string) error { return nil }\n\n"
        "func (l *Loose) Keep(key string, value []byte) error { return nil }\n"
    ),
    "java/Shape.java": (
        "public interface Shape extends Comparable<Shape> {\n  double area();\n}\n\n"
        "abstract class Round implements Shape {\n}\n\n"
        "class Circle extends Round {\n  public double area() { return 1; }\n}\n"
    ),
    "java/Square.kt": "class Square(val side: Int) : Shape {\n  override fun area() = 1.0\n}\n",
    "cs/Job.cs": (
        "public interface IJob { void Run(); }\n\n"
        "public class Mail : Base<IJob>, IJob {\n  public void Run() {}\n}\n\n"
        "public record Clean(int Days) : Mail;\n"
    ),
    "swift/View.swift": (
        "protocol Drawable {\n  func draw()\n}\n\n"
        "struct Line: Drawable {\n  func draw() {}\n}\n\n"
        "extension Dot: Drawable {\n  func draw() {}\n}\n"
    ),
    "cpp/shape.hpp": (
        "class Widget {\n public:\n  virtual void paint() = 0;\n};\n\n"
        "class Button : public ui::Widget {\n public:\n  void paint() override {}\n};\n\n"
        "template <class T> class Frame : private Widget {\n};\n"
    ),
    "web/view.tsx": (
        "interface Panel {\n  render(): void;\n}\n\n"
        "interface Split extends Panel {}\n\n"
        "export class Side implements Split, Other<Panel> {\n  render() {}\n}\n"
    ),
}


@pytest.fixture(scope="module")
def engine(shared_index: IndexOf) -> Engine:
    return shared_index(FILES, encoder="none")


def ask(engine: Engine, name: str, limit: int = 20) -> SymbolResponse:
    return engine.ask(SymbolRequest(name, limit=limit, deterministic=True))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Storage", ["Disk", "Quick", "Mapped", "FakeStorage"]),
        ("Storage.load", ["Disk.load", "Mapped.load", "FakeStorage.load"]),
        ("Codec", ["Gzip", "Buffered"]),
        ("Codec.decode", ["Gzip.decode", "Buffered.decode"]),
        ("Wind", ["Gzip", "Tape", "Gale", "Fan"]),
        ("Migration", ["Add"]),
        ("Gem", ["Two", "Ten"]),
        ("Reply", ["Late"]),
        ("Sent", ["Late"]),
        ("Portal", ["Gate"]),
        ("Row", ["Odd"]),
        ("Quart", ["Pair", "Anon"]),
        ("Shut", ["Bucket?", "Loose?", "Disk?"]),
        ("Opener", ["Bucket", "Half", "Disk"]),
        ("Store", ["Bucket", "Disk"]),
        ("Store.Keep", ["Bucket.Keep", "Disk.Keep"]),
        ("Shape", ["Round", "Circle", "Square"]),
        ("Shape.area", ["Circle.area", "Square.area"]),
        ("IJob", ["Mail", "Clean"]),
        ("IJob.Run", ["Mail.Run"]),
        ("Drawable", ["Line", "Dot"]),
        ("Drawable.draw", ["Line.draw", "Dot.draw"]),
        ("Widget", ["Button", "Frame"]),
        ("Widget.paint", ["Button.paint"]),
        ("Panel", ["Split", "Side"]),
        ("Panel.render", ["Side.render"]),
        ("Comparable", ["Shape", "Round", "Circle", "Square"]),
        ("Gzip", []),
        ("decode_all", []),
        ("load", []),
    ],
)
def test_implementations_follow_the_definitions(
    engine: Engine, name: str, expected: list[str]
) -> None:
    answer = ask(engine, name)

    names = [f"{each.qualified_name}{'?' * each.guess}" for each in answer.implementations]
    assert names == expected
    assert answer.implementations_total == len(expected)
    assert {each.relation for each in answer.implementations} <= {"implementation"}


def test_an_implementation_has_the_lines_and_the_head_of_its_type(engine: Engine) -> None:
    python, rust = ask(engine, "Storage").implementations[1], ask(engine, "Codec")
    (go, *_) = ask(engine, "Store").implementations

    assert (python.path, python.start_line, python.end_line) == ("py/disk.py", 10, 14)
    assert python.signature == "class Quick( Cached[Disk], Disk, )"
    assert [(each.signature, each.start_line) for each in rust.implementations] == [
        ("impl Codec for Gzip", 7),
        ("impl<T: Codec> Codec for Buffered<T>", 11),
    ]
    assert (go.path, go.start_line, go.kind) == ("go/cloud/cloud.go", 3, "class")


def test_a_cut_says_how_many_there_are(engine: Engine) -> None:
    answer = ask(engine, "Storage", limit=2)

    assert [each.qualified_name for each in answer.implementations] == ["Disk", "Quick"]
    assert [(cut.code, cut.limit, cut.observed) for cut in answer.limits_hit] == [
        ("max_implementations", 2, 4)
    ]


def test_only_files_with_the_head_of_a_type_are_parsed(
    index_of: IndexOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = InProcessMentions()
    monkeypatch.setattr(engines, "OccurrencePool", lambda: pool)
    text = "class Use:\n    def use(self, storage: Storage): ...\n"
    users = {f"use{number}.py": text for number in range(20)}
    engine = index_of({**FILES, **users}, encoder="none")

    ask(engine, "Storage")

    assert not [path for path in pool.asked if path.startswith("use")]
