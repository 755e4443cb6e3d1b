const std = @import("std");
/// What can go wrong.
pub const Bad = error{ Wide, Tall } || std.mem.Allocator.Error;
/// Doc.
pub const Shape = struct {
    const Self = @This();
    pub const sides: u32 = 4;
    width: u32,
    height: ?u32 = null,
    pub fn area(self: *const Self) u32 {
        const height = self.height orelse 0;
        return self.width * height;
    }
};
const Color = enum { red, green };
pub const state = struct { at: u8 }{};
pub fn List(comptime T: type) type {
    return struct {
        items: []T,
        pub fn first(self: @This()) T {
            return self.items[0];
        }
    };
}
extern fn c() void;
var limit: u8 = 5;
test "area" {}
