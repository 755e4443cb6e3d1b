local a = {}
function a.b.c(x) return x end
function a.b:close() end
local function _hidden() end
a["two words"] = function() end
