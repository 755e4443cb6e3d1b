classdef Circle < Shape
  properties
    r = 1
  end
  methods
    function obj = Circle(r)
    end
    function a = area(obj)
    end
  end
  enumeration
    Red
  end
end
