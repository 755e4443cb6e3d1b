interface Api { "get-all"(): void; [key: string]: unknown }
enum Level { "Very High", Low }
declare module "my-mod" { function inner(): void }
