// Makes the calls of a file with the JavaScript SDK, which holds every structured answer against the
// tool's own output schema. Arguments: the file, then a server's command. Prints one JSON array.
// "$SESSION" stands for the last token that a call of `context` returned.
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [file, command, ...args] = process.argv.slice(2);
const calls = JSON.parse(readFileSync(file, "utf8"));
const client = new Client({ name: "generated", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
await client.listTools(); // compiles the validators

let session = "new";
const results = [];
for (const { tool, given } of calls) {
  const wanted = given.session === "$SESSION" ? { ...given, session } : given;
  try {
    const result = await client.callTool({ name: tool, arguments: wanted });
    session = result.structuredContent?.session?.token ?? session;
    results.push({
      isError: result.isError ?? false,
      structured: result.structuredContent,
      texts: result.content.map((block) => block.text),
    });
  } catch (error) {
    results.push({ thrown: String(error).slice(0, 2000) });
  }
}
await client.close();
console.log(JSON.stringify(results));
