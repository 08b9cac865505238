/** The tool `plexer_show`: a uiflow spec in, its outcome out. */

import { reportOf } from '../../src/flow/flow-report.ts';
import type { FlowRun } from '../../src/flow/flow-runner.ts';
import { runFlow } from '../../src/flow/flow-runner.ts';
import { checkSpec, checkSpecText, type SpecCheck, specJsonSchema } from '../../src/flow/spec.ts';
import { faultText, type SpecFault } from '../../src/flow/spec-fault.ts';
import { chooseBackend, openBackend } from '../ask/backends.ts';
import type { McpContext } from './mcp.ts';
import type { AgentTool, ToolResult } from './mcp-tool.ts';
import { failure } from './mcp-tool.ts';

const DESCRIPTION = `Ask the person at the terminal and wait for the answer. One call shows a whole flow: screens with choices, texts
and actions, conditions and branches. Returns {"status": "done", "answers": {field: value}, "action"} when they finished it,
{"status": "cancelled", "at", "answers"} when they dismissed it or took a way to $cancel, {"status": "timeout", "at", "answers"}
when time ran out, {"status": "error", "error", "at", "answers"} otherwise. Only "done" is an answer: never take silence for a yes.
Example: {"spec": {"title": "Deploy", "screens": [{"id": "main", "fields": [{"id": "env", "type": "choice", "label": "Where?",
"options": ["staging", "prod"]}], "actions": [{"id": "go", "label": "Deploy"}, {"id": "no", "label": "Not now"}],
"next": {"go": "$done", "no": "$cancel"}}]}}`;

export function createShowTool(context: McpContext): AgentTool {
  return {
    name: 'plexer_show',
    description: DESCRIPTION,
    annotations: { title: 'Ask the person', readOnlyHint: true },
    inputSchema: {
      type: 'object',
      properties: {
        spec: specJsonSchema(),
        queue: { type: 'boolean', description: 'Wait while another dialog is open (default true).' },
        wait_client: {
          type: 'boolean',
          description: 'Wait for the person to attach (default false: an error at once).',
        },
        expires: { type: 'number', description: 'Seconds that the question may wait unseen.' },
        meta: { type: 'boolean', description: 'Tell who answered and when.' },
      },
      required: ['spec'],
    },
    async call(args, { signal, note }) {
      const checked = readSpec(args);
      if (!checked.ok) return badSpec(checked.faults);
      const backend = await openBackend(chooseBackend({ ...context, isTerminal: false }), {
        controlPath: context.controlPath,
        pane: context.env.MPLEX_PANE || undefined,
        queue: args.queue !== false,
        waitClient: args.wait_client === true,
        expiresS: typeof args.expires === 'number' && args.expires > 0 ? args.expires : undefined,
        env: context.env,
        now: context.clock.now,
        after: context.clock.after,
      });
      const run = await runFlow(checked.spec, {
        backend,
        clock: context.clock,
        signal,
        onState: (state, at) => note(STATE_TEXTS[state].replace('%', at)),
      });
      return resultOf(run, args.meta === true ? backend.name : undefined);
    },
  };
}

const STATE_TEXTS = {
  shown: 'the person sees the question (screen %)',
  queued: 'the question waits for its turn (screen %)',
  waiting_client: 'nobody is attached; the question waits (screen %)',
} as const;

/** Models put the spec where it belongs, at the top, or into a string. */
function readSpec(args: Readonly<Record<string, unknown>>): SpecCheck {
  const spec = args.spec ?? ('screens' in args ? args : undefined);
  return typeof spec === 'string' ? checkSpecText(spec) : checkSpec(spec ?? {});
}

function badSpec(faults: readonly SpecFault[]): ToolResult {
  const lines = faults.map(faultText);
  const text = `the spec is not valid, nothing was shown:\n${lines.join('\n')}`;
  return failure(text, { status: 'error', error: 'the spec is not valid', at: '', answers: {}, faults });
}

function resultOf(run: FlowRun, metaOf: string | undefined): ToolResult {
  const value = reportOf(run, metaOf);
  return { text: JSON.stringify(value), value, isError: value.status === 'error' };
}
