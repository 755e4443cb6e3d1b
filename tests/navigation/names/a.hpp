struct Coin {
  explicit operator bool() const { return true; }
  bool operator==(const Coin& o) const { return true; }
  int operator()(int x) { return x; }
  int operator[](int i) { return i; }
  Coin& operator++() { return *this; }
  ~Coin() {}
};
long operator""_kb(unsigned long long n) { return n; }
