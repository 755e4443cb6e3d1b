struct Vec { Vec opBinary(string op)(Vec o) { return this; } ~this() {} }
void run() {}
