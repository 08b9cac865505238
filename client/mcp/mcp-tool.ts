/** A tool of the MCP server as data, apart from the protocol. */

export interface ToolWatch {
  /** Aborted when the caller cancels the call or goes away. */
  readonly signal: AbortSignal;
  /** How it stands, in a few words, for the caller's progress line. */
  readonly note: (text: string) => void;
}

export interface ToolResult {
  readonly text: string;
  /** The same as an object. */
  readonly value?: object;
  readonly isError: boolean;
}

export interface AgentTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema, for the model; nothing is refused by it. */
  readonly inputSchema: { readonly type: 'object'; readonly [key: string]: unknown };
  /** What the person's agent may let pass without a question. */
  readonly annotations: { readonly title: string; readonly readOnlyHint: boolean };
  /** A thrown error becomes a result that says so. */
  call(args: Readonly<Record<string, unknown>>, watch: ToolWatch): Promise<ToolResult>;
}

export function failure(text: string, value?: object): ToolResult {
  return { text, isError: true, ...(value && { value }) };
}

export function success(value: object): ToolResult {
  return { text: JSON.stringify(value), value, isError: false };
}
