function y = area(x)
% Doc.
  y = x * x;
end
function run()
end
