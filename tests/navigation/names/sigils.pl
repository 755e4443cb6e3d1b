our %opts = ();
our @many = ();
sub run_once { 1 }
