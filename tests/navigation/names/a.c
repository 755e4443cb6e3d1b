#define MAX_SIZE(x) (x)
struct node { int val; };
static int *find_node(int a) { return 0; }
typedef int (*cb_t)(int);
