@interface Till : NSObject
- (void)addCoin:(int)c toSlot:(int)s;
@property int total;
@end
@implementation Till
- (void)addCoin:(int)c toSlot:(int)s { }
@end
