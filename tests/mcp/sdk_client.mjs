// Lists and calls every tool with the JavaScript SDK: over stdio, or over HTTP when given a URL.
// Arguments: a URL, or a command and its arguments. Prints one JSON document.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const GIVEN = { query: "settle invoice", name: "settle_invoice", target: "src/pay.py:2" };

const [first, ...rest] = process.argv.slice(2);
const transport = first.startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(first))
  : new StdioClientTransport({ command: first, args: rest, env: process.env });
const client = new Client({ name: "interop", version: "1.0.0" });
await client.connect(transport);

const { tools } = await client.listTools();
const calls = {};
const progress = [];
for (const tool of tools) {
  const several = { symbol: "name", references: "name", expand: "target" }[tool.name];
  const required = [...(tool.inputSchema.required ?? []), ...(several ? [several] : [])];
  const wanted = Object.fromEntries(required.map((name) => [name, GIVEN[name]]));
  const result = await client.callTool({ name: tool.name, arguments: wanted }, undefined, {
    onprogress: (step) => progress.push([step.progress, step.total, step.message]),
  });
  calls[tool.name] = { isError: result.isError ?? false, structured: result.structuredContent };
}
// A failure must get past the SDK's check against the output schema, too.
const refused = await client.callTool({ name: "search", arguments: { query: "q", nonsense: 1 } });
const { resources } = await client.listResources();
const read = await client.readResource({ uri: "ggrep://workspace" });
await client.close();
console.log(
  JSON.stringify({
    server: client.getServerVersion(),
    tools: tools.map((tool) => tool.name),
    calls,
    progress,
    refused: { isError: refused.isError, structured: refused.structuredContent },
    resources: resources.map((resource) => resource.uri),
    workspace: JSON.parse(read.contents[0].text),
  }),
);
