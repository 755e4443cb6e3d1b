## Scales a system, as Octave writes it.
function [y, k] = scale (x, k = 2, how = "no")
  if (! ischar (how))
    printf ("it's \"%s\"\n", how); # a quote
  endif
  unwind_protect
    y = x' * k;
  unwind_protect_cleanup
    y != k;
  end_unwind_protect
endfunction

function run ()
  x.y = 'a # b';
endfunction
