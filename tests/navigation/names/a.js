class Box { #secret() { return 1 } static $make() {} "two words"() {} get size() { return 1 } }
const $el = 1;
function _private$() {}
const api = { "get-all": function () {}, "x y": 2 };
