class TillSpec {
  def "adds two coins"() { 1 }
  def 'it works'() { 1 }
}
