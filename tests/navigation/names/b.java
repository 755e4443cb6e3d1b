class Box<T> { int $n; void run() {} static final int MAX = 1; Box() {} }
@interface Marker { String value(); }
