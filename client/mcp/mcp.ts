/**
 * `mplex mcp`: an MCP server on standard input and output. One tool runs a uiflow and gives its outcome, the others list,
 * read, type into and wait on panes. Arguments are taken loosely: what is wrong with a spec is told by the spec's own
 * check, with its JSON pointers, and not by a schema that hides it.
 */
import type { Readable, Writable } from 'node:stream';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import { VERSION } from '../../protocol/version.ts';
import type { RunClock } from '../../src/flow/flow-runner.ts';
import type { Environment } from '../server-socket.ts';
import { createPaneTools } from './mcp-panes.ts';
import { createShowTool } from './mcp-show.ts';
import type { AgentTool, ToolResult } from './mcp-tool.ts';
import { failure } from './mcp-tool.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface McpContext {
  readonly env: Environment;
  readonly controlPath: string;
  /** -L or -S named a server. */
  readonly isServerNamed: boolean;
  readonly clock: RunClock;
}

const INSTRUCTIONS = `plexer_show asks the person at the terminal: a choice, a text, a confirmation or a whole branching flow in
one call. Ask when a decision is theirs and you cannot find it out; put all questions that belong together into one flow.
The outcome says whether they answered (done), declined or dismissed (cancelled), or did not come (timeout, error): only
"done" is an answer.`;

/** How often a waiting call says that it is alive, ms. */
const PROGRESS_MS = 5000;

/** Serves until the other side closes. */
async function serveMcp(context: McpContext, transport: Transport): Promise<void> {
  const tools = [createShowTool(context), ...createPaneTools(context)];
  const server = new Server(
    { name: 'mplex', version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ call: _call, ...described }) => described),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `unknown tool: ${params.name}`);
    const token = params._meta?.progressToken;
    const started = context.clock.now();
    let message = 'waiting';
    const report = () => {
      if (token === undefined) return;
      const progress = Math.round((context.clock.now() - started) / 1000);
      // A client that has gone away is told nothing; the call ends with its connection.
      extra
        .sendNotification({ method: 'notifications/progress', params: { progressToken: token, progress, message } })
        .catch(() => {});
    };
    const stop = repeat(context.clock, PROGRESS_MS, report);
    try {
      const note = (text: string) => {
        message = text;
        report();
      };
      return content(await call(tool, params.arguments ?? {}, { signal: extra.signal, note }));
    } finally {
      stop();
    }
  });
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  await server.connect(transport);
  await closed;
}

async function call(
  tool: AgentTool,
  args: Readonly<Record<string, unknown>>,
  watch: Parameters<AgentTool['call']>[1],
): Promise<ToolResult> {
  try {
    return await tool.call(args, watch);
  } catch (error) {
    return failure(error instanceof Error ? error.message : String(error));
  }
}

function content({ text, value, isError }: ToolResult) {
  return {
    content: [{ type: 'text' as const, text }],
    ...(value !== undefined && { structuredContent: { ...value } }),
    isError,
  };
}

function repeat(clock: RunClock, everyMs: number, run: () => void): () => void {
  let stop = clock.after(everyMs, function tick() {
    run();
    stop = clock.after(everyMs, tick);
  });
  return () => stop();
}

const MCP_USAGE = `usage: mplex mcp
serves the Model Context Protocol on standard input and output; see docs/agents.md`;

interface Stdio {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: { write(text: string): unknown };
}

/** Runs `mplex mcp` and gives its exit code. */
export async function runMcpWord(
  argv: readonly string[],
  { stdin, stdout, stderr, ...context }: McpContext & Stdio,
): Promise<number> {
  if (argv.length > 0) {
    const isHelp = argv.every((word) => word === '--help' || word === '-h');
    (isHelp ? stdout : stderr).write(`${MCP_USAGE}\n`);
    return isHelp ? 0 : 2;
  }
  await serveMcp(context, new StdioTransport(stdin, stdout));
  return 0;
}
