import 'dart:io';
const limit = 5;
/// Doc.
abstract class Shape<T> extends Base with Mix implements I {
  final int x;
  static const y = 2;
  Shape(this.x);
  Shape.named(this.x);
  factory Shape.of() => Shape(1);
  double area() => 1.0;
  int get size => 1;
  set size(int v) {}
  void go();
  @override
  bool operator ==(Object o) => true;
}
mixin Mix on Base { void m() {} }
enum Color { red, green; void p() {} }
extension Ext on String { int len() => 1; }
typedef F = int Function(int);
void main(List<String> args) { }
int get top => 1;
String name = 'x';
