object Ops {
  def +=(o: Int) = o
  def `two words` = 1
  def unary_! = 2
  def ::(x: Int) = x
  val `type` = 3
}
