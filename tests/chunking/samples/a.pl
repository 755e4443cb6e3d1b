package My::App;
use strict;
use List::Util qw(max);
our $VERSION = '1';
my %h = (a => 1);
use constant LIMIT => 5;
use constant { A => 1, B => 2 };
# Doc.
sub area {
  my ($x) = @_;
}
package Other { sub inner { 1 } }
has name => (is => 'ro');
sub proto($$);
1;
__END__
sub no {}
