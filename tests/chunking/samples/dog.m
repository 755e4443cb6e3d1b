#import <Foundation/Foundation.h>
#define LIMIT 5
@protocol Walker <NSObject>
- (void)walk;
@end
/** Doc. */
@interface Dog : NSObject <Walker> {
  int _age;
}
@property (nonatomic, copy) NSString *name;
+ (instancetype)dogWithName:(NSString *)name age:(int)age;
- (void)bark;
@end
@interface Dog (Tricks)
- (void)roll;
@end
@implementation Dog
@synthesize name = _name;
+ (instancetype)dogWithName:(NSString *)name age:(int)age {
  return nil;
}
- (void)bark { NSLog(@"x"); }
static int helper(int a) { return a; }
@end
typedef NS_ENUM(NSInteger, Kind) { KindA, KindB };
int main(void) { return 0; }
static NSString *const Key = @"k";
typedef struct { int a; } Pt;
