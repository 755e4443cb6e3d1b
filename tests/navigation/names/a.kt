class TillTest {
  val total = 1
  fun `adds two coins`() { }
  operator fun plus(o: TillTest) = this
}
fun `is`(x: Int) = x
