package My::Pkg;
our $x = 1;
our @list = (1);
sub run_it { 1 }
sub My::Other::go { 1 }
1;
