/** Between a hostile program and the person's terminal, in both directions: what gets through, and what must not. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe } from 'vitest';
import { Control } from '../support/control.ts';
import { fault, growth, memoryOf, Pulse, processorMsOf } from '../support/fault.ts';
import { firstLeak } from '../support/output-grammar.ts';
import { type TerminalProgram, World, waitFor } from '../support/program.ts';
import { randomFrom } from '../support/random.ts';
import { serverPid } from '../support/survivor.ts';

const IS_LONG = process.env.MPLEX_SOAK_RUNS !== undefined;

let world: World;

beforeEach(() => {
  world = new World();
});

afterEach(() => world.close());

/** A session whose only pane prints the bytes and then a mark. */
async function printing(bytes: Buffer): Promise<TerminalProgram> {
  const file = join(world.directory, 'bytes');
  writeFileSync(file, bytes);
  await world.output(
    '-f',
    '/dev/null',
    'new-session',
    '-d',
    '-s',
    'main',
    '-x',
    '80',
    '-y',
    '23',
    `read go; cat ${file}; exec cat`,
  );
  await world.output('set-option', '-g', 'set-titles', 'on');
  const client = world.attach(['attach-session'], { keepBytes: true });
  await client.until('[main]');
  client.type('go\r');
  return client;
}

/** Waits until the pane takes part again: all before it is parsed. */
async function settled(): Promise<void> {
  await world.output('send-keys', '-t', 'main', '-l', 'mark-of-the-end');
  await world.output('send-keys', '-t', 'main', 'Enter');
  await waitFor(async () => Number(await world.output('display-message', '-p', '-t', 'main', '#{pane_dead}')) === 0, {
    name: 'a live pane',
  });
}

const ST = '\x1b\\';
const HOSTILE = [
  ...Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)),
  ...Array.from({ length: 32 }, (_, code) => String.fromCharCode(0x80 + code)),
  ...'@ABCDEFGILMPSTXZ`abdefr'.split('').map((final) => `a\x1b[2147483647${final}`),
  'a\u009b2147483647b',
  '\u009d2;x\u009c',
  `\x1b]2;title\x1b]0;b\x07 \u202e\u2066\u200b\ufeff\x07`,
  `\x1b]0;${'t'.repeat(5000)}\x07`,
  `\x1b]2;#(touch pwned)\x07`,
  `\x1bk#(touch pwned)${ST}`,
  `\x1b]52;c;?\x07\x1b]52;c;aGVsbG8=\x07\x1b]52;c;!!!\x07`,
  `\x1b]8;;javascript:alert(1)${ST}x\x1b]8;;${ST}\x1b]8;;file://h/\x01${ST}y\x1b]8;;${ST}`,
  `\x1b]4;1;rgb:0/0/0\x07\x1b]10;#000\x07\x1b]11;?\x07\x1b]22;wait\x07`,
  `\x1b]9;note\x07\x1b]777;notify;a;b\x07\x1b]99;;c${ST}`,
  `\x1bPtmux;\x1b\x1b]0;through\x07${ST}`,
  `\x1bPq#0;2;0;0;0~-${ST}\x1b_Gf=100,t=f;L2V0Yy9wYXNzd2Q=${ST}\x1b]1337;File=inline=1:AAAA\x07`,
  '\x1b[8;1;1t\x1b[?3h\x1b[8;32767;32767t\x1b[21t\x1b[20t\x1b[18t',
  '\x1b[?1049h\x1b[?2004h\x1b[?1003;1006h\x1b[?1004h\x1b[>1u\x1b[>4;2m\x1b[5i\x1bc',
  `\x1bP$q;touch pwned\n${ST}\x1bP+q3b0a${ST}\x05\x1bZ\x1b[c\x1b[>c\x1b[=c\x1b[>q\x1b[?u`,
  `e${'\u0301'.repeat(5000)}`,
  '\x07'.repeat(2000),
].join('');

/** The words of terminal sequences in random order, among random bytes. */
function randomBytes(seed: number, length: number): Buffer {
  const random = randomFrom(seed);
  const words = [
    '\x1b',
    '[',
    ']',
    'P',
    '\\',
    '?',
    ';',
    ':',
    '\x07',
    '\u009b',
    '\u009d',
    '0',
    '2147483647',
    'm',
    'h',
    'H',
    '界',
    '\u0301',
  ];
  const parts: Buffer[] = [];
  for (let size = 0; size < length; ) {
    const part =
      random() < 0.6
        ? Buffer.from(words[Math.floor(random() * words.length)] ?? '')
        : Buffer.from([Math.floor(random() * 256), Math.floor(random() * 256)]);
    parts.push(part);
    size += part.length;
  }
  return Buffer.concat(parts);
}

describe('what a program prints', () => {
  const inputs: [string, Buffer][] = [['every control and the whole list of hostile strings', Buffer.from(HOSTILE)]];
  for (let seed = 1; seed <= (IS_LONG ? 20 : 3); seed++)
    inputs.push([
      `${IS_LONG ? 4096 : 256} KiB of random sequences, seed ${seed}`,
      randomBytes(seed, (IS_LONG ? 4096 : 256) << 10),
    ]);
  for (const [name, bytes] of inputs) {
    fault(
      {
        row: 'B1',
        injected: name,
        expected: 'the terminal gets the painter’s own sequences alone; nothing is run; server alive',
      },
      async () => {
        const client = await printing(bytes);
        const pulse = await Pulse.start(world.controlPath);
        await settled();
        // Reset and shown: the picture is whole again.
        await world.output('respawn-pane', '-k', '-t', 'main', 'echo after-all; exec cat');
        await client.until('after-all', { ms: 30_000 });
        const state = await pulse.stop(3000);
        client.press('C-b d');
        await client.exit;
        const leak = firstLeak(client.screen.bytes.replace(/\[detached[\s\S]*$/, ''));
        const ran = existsSync(join(world.directory, 'pwned')) ? 'something was run' : 'nothing is run';
        return `${leak === undefined ? 'the terminal gets the painter’s own sequences alone' : `leak ${leak}`}; ${ran}; server ${state}`;
      },
      { ms: 120_000 },
    );
  }

  fault(
    {
      row: 'C4',
      injected: '1 MiB of status requests by a program that reads nothing',
      expected: 'memory flat; no core is spun; server alive',
    },
    async () => {
      const file = join(world.directory, 'bytes');
      writeFileSync(file, '\x1b[c'.repeat(350_000));
      await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', 'exec cat');
      const pid = serverPid(world) ?? 0;
      const before = memoryOf(pid);
      const pulse = await Pulse.start(world.controlPath);
      await world.output(
        'new-window',
        '-d',
        '-t',
        'main:1',
        `stty raw -echo; cat ${file}; touch ${join(world.directory, 'printed')}; exec sleep 1000`,
      );
      await waitFor(() => existsSync(join(world.directory, 'printed')), { name: 'the end of the storm', ms: 30_000 });
      const state = await pulse.stop(3000);
      const used = processorMsOf(pid);
      await new Promise((next) => setTimeout(next, 1000));
      const idle = processorMsOf(pid) - used < 400 ? 'no core is spun' : 'a core is spun';
      return `memory ${growth(before, memoryOf(pid), 30)}; ${idle}; server ${state}`;
    },
  );
});

/** A session whose pane shows its input byte by byte, and a client whose screen tells what came. */
async function listening(prelude = ''): Promise<TerminalProgram> {
  await world.output(
    '-f',
    '/dev/null',
    'new-session',
    '-d',
    '-s',
    'main',
    '-x',
    '80',
    '-y',
    '23',
    `stty raw -echo; printf '${prelude}ready '; exec cat -v`,
  );
  // An escape that the machine holds up for longer would be a key.
  await world.output('set-option', '-s', 'escape-time', '1000');
  const client = world.attach(['attach-session']);
  await client.until('ready');
  return client;
}

/** What the pane got until the mark that is typed now. */
async function got(client: TerminalProgram): Promise<string> {
  client.type('@@');
  await client.until('@@');
  return (
    /ready ([\s\S]*?)@@/.exec((await world.output('capture-pane', '-pJ', '-t', 'main')).replaceAll('\n', ''))?.[1] ??
    'no mark'
  );
}

const REPLIES: readonly (readonly [string, string])[] = [
  ['DA1', '\x1b[?62;22;52c'],
  ['DA2', '\x1b[>41;390;0c'],
  ['DECRPM', '\x1b[?2026;2$y'],
  ['XTVERSION', `\x1bP>|XTerm(390)${ST}`],
  ['OSC 10', `\x1b]10;rgb:ffff/ffff/ffff${ST}`],
  ['OSC 11', '\x1b]11;rgb:0000/0000/0000\x07'],
  ['OSC 52', `\x1b]52;c;dG91Y2ggL3RtcC94Cg==${ST}`],
  ['kitty flags', '\x1b[?1u'],
];

describe('answers of the terminal that nobody waits for', () => {
  for (const gapMs of [0, 5]) {
    fault(
      {
        row: 'C5',
        injected: `${REPLIES.length} late answers, split at every byte, ${gapMs} ms between the parts`,
        expected: 'nothing is typed into the pane',
      },
      async () => {
        const client = await listening();
        for (const [, reply] of REPLIES) {
          const bytes = Buffer.from(reply, 'latin1').toString('latin1');
          const cuts =
            gapMs === 0 ? Array.from({ length: bytes.length - 1 }, (_, i) => i + 1) : [1, 2, 3, bytes.length - 1];
          for (const cut of cuts) {
            client.type(bytes.slice(0, cut));
            if (gapMs > 0) await new Promise((next) => setTimeout(next, gapMs));
            client.type(bytes.slice(cut));
          }
        }
        const text = await got(client);
        return text === '' ? 'nothing is typed into the pane' : `typed: ${text}`;
      },
    );
  }
});

const PASTES: readonly (readonly [string, string, string])[] = [
  ['an end inside', 'a\x1b[201~\rtouch x\r', 'literal'],
  ['an end in pieces', '\x1b[20\x1b[201~1~b', 'literal'],
  ['an end in C1', '\u009b201~c', 'literal'],
  ['signals and kills', '\x03\x15\x16\x04\x1a\x1cd', 'literal'],
];

describe('a paste that wants out', () => {
  for (const [mode, prelude] of [
    ['bracketed', '\\033[?2004h'],
    ['plain', ''],
  ] as const) {
    for (const [name, text] of PASTES) {
      fault(
        { row: 'C6', injected: `${name}, ${mode}`, expected: 'no control reaches the pane but the bracket’s own' },
        async () => {
          const client = await listening(prelude);
          // A terminal that does not clean what it pastes.
          client.type(`\x1b[200~${text}\x1b[201~`);
          const seen = await got(client);
          const inner = mode === 'bracketed' ? seen.replace(/^\^\[\[200~/, '').replace(/\^\[\[201~[\s\S]*$/, '') : seen;
          const controls = inner.replaceAll('^M', '').match(/\^[@-_?]|M-\^/g) ?? [];
          return controls.length === 0 ? 'no control reaches the pane but the bracket’s own' : `reached: ${seen}`;
        },
      );
    }
  }

  fault(
    {
      row: 'C9',
      injected: 'three lines pasted under paste-confirm-lines 1, where 2004 is off, then on',
      expected: 'asked about: n drops them, y pastes them; one line and a program with 2004 are not asked about',
    },
    async () => {
      const client = await listening();
      await world.output('set-option', '-g', 'paste-confirm-lines', '1');
      const question = (rows: string[]) => rows.some((row) => row.includes('Paste 3 lines? (y/n)'));
      const gone = { name: 'no question' };
      const paste = (text: string) => client.type(`\x1b[200~${text}\x1b[201~`);
      paste('a1\ra2\ra3\r');
      await client.until(question);
      client.press('n');
      await client.until((rows) => !question(rows), gone);
      paste('b1\rb2\rb3');
      await client.until(question);
      client.press('y');
      await client.until('b3');
      paste('c1');
      await client.until('c1');
      const plain = (await world.output('capture-pane', '-pJ', '-t', 'main')).trim();
      await world.output(
        'respawn-pane',
        '-k',
        '-t',
        'main',
        "stty raw -echo; printf '\\033[?2004hready '; exec cat -v",
      );
      await client.until(/^ready/m);
      paste('d1\rd2\rd3');
      await client.until('d3');
      const isRight = plain.includes('b1^Mb2^Mb3') && !plain.includes('a1') && !question(client.screen.rows());
      return isRight
        ? 'asked about: n drops them, y pastes them; one line and a program with 2004 are not asked about'
        : plain;
    },
  );

  fault(
    { row: 'C7', injected: 'a paste that never ends, then the prefix after 6 s', expected: 'the prefix works' },
    async () => {
      const client = await listening();
      client.type('\x1b[200~half');
      await new Promise((next) => setTimeout(next, 6000));
      client.press('C-b c');
      await client.until(/1:\S+\*/);
      return 'the prefix works';
    },
  );

  fault(
    { row: 'C8', injected: 'focus events where one of two panes asked', expected: 'the asking pane alone gets them' },
    async () => {
      const client = await listening('\\033[?1004h');
      await world.output('set-option', '-s', 'focus-events', 'on');
      client.type('\x1b[O\x1b[I');
      const asked = await got(client);
      await world.output('new-window', '-t', 'main:1', "stty raw -echo; printf 'quiet '; exec cat -v");
      await client.until('quiet');
      client.type('\x1b[O\x1b[I##');
      await client.until('##');
      const quiet = /quiet ([\s\S]*?)##/.exec((await world.output('capture-pane', '-p')).replaceAll('\n', ''))?.[1];
      return asked.includes('^[[O^[[I') && quiet === '' ? 'the asking pane alone gets them' : `${asked} ${quiet}`;
    },
  );
});

describe('dialogs', () => {
  fault(
    {
      row: 'D9',
      injected: 'sequences, newlines and bidi controls in every text of a dialog',
      expected: 'the terminal gets the painter’s own sequences alone; replies one line each',
    },
    async () => {
      await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', 'exec cat');
      const client = world.attach(['attach-session'], { keepBytes: true });
      await client.until('[main]');
      const control = await Control.open(world.controlPath);
      const evil = 'x\u001b]0;y\u0007\n%exit\r\u0085\u202e\u2066z\u009b31m';
      const flow = await control.show({ kind: 'choice', title: evil, body: evil, label: evil, options: [evil, 'b'] });
      await control.until(flow, { state: 'shown' });
      await client.until('%exit');
      const listed = (await control.run('flow-queue')).split('\n').length;
      await control.cancel(flow);
      control.close();
      client.press('C-b d');
      await client.exit;
      const leak = firstLeak(client.screen.bytes.replace(/\[detached[\s\S]*$/, ''));
      return `${leak === undefined ? 'the terminal gets the painter’s own sequences alone' : leak}; ${listed === 1 ? 'replies one line each' : listed}`;
    },
  );

  fault(
    {
      row: 'D10',
      injected: 'guessed ids, and an id after its answer was read',
      expected: 'not_found; the answer once more, the same',
    },
    async () => {
      await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', 'exec cat');
      const client = world.attach(['attach-session']);
      await client.until('[main]');
      const mine = await Control.open(world.controlPath);
      const other = await Control.open(world.controlPath);
      const flow = await mine.show({ kind: 'message', title: 'Well?' });
      const codes = new Set<unknown>();
      for (const guess of [
        '1',
        '0',
        '00000000-0000-0000-0000-000000000000',
        flow.slice(0, -1),
        `${flow}x`,
        flow.toUpperCase(),
      ])
        codes.add(((await other.result(guess)).error as { code?: string } | undefined)?.code);
      await mine.until(flow, { state: 'shown' });
      client.press('C-b Enter');
      client.press('Enter');
      await mine.until(flow, { done: true });
      const again = [await mine.result(flow), await mine.result(flow)].map((reply) => JSON.stringify(reply));
      mine.close();
      other.close();
      return `${[...codes].join()}; ${again[0] === again[1] ? 'the answer once more, the same' : again.join()}`;
    },
  );

  fault(
    {
      row: 'D11',
      injected: '2,000 dialogs at once',
      expected: '16 taken, the rest too_many; muted, keys reach the pane',
    },
    async () => {
      await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', 'exec cat');
      const client = world.attach(['attach-session']);
      await client.until('[main]');
      const control = await Control.open(world.controlPath);
      const asks = Array.from({ length: 2000 }, () =>
        control.request({ op: 'show', kind: 'message', title: 'Now!', queue: true }),
      );
      let taken = 0;
      const refusals = new Set<unknown>();
      for (const reply of await Promise.all(asks)) {
        if (reply.ok === true) taken += 1;
        else refusals.add((reply.error as { code: string }).code);
      }
      // What is armed by now takes keys as it should; the person's way out is the prefix.
      await client.until('Now!');
      client.press('C-b M');
      await client.until((rows) => !rows.some((row) => row.includes('Now!')), { name: 'no dialog' });
      client.type('typed-below\r');
      await waitFor(async () => (await control.run('capture-pane', '-p')).includes('typed-below'), { name: 'keys' });
      control.close();
      return `${taken} taken, the rest ${[...refusals].join()}; muted, keys reach the pane`;
    },
  );
});

describe('processes', () => {
  fault(
    { row: 'E1', injected: 'three panes and a job look at their descriptors', expected: '0 1 2 and its own' },
    async () => {
      // The fourth is the one by which the list is read.
      const list = (name: string) => `ls -x /proc/self/fd >${join(world.directory, name)}`;
      await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', 'exec cat');
      for (const name of ['one', 'two', 'three']) await world.output('new-window', '-d', `${list(name)}; exec cat`);
      await world.output('run-shell', list('job'));
      const names = ['one', 'two', 'three', 'job'];
      await waitFor(() => names.every((name) => existsSync(join(world.directory, name))), { name: 'the lists' });
      await waitFor(() => names.every((name) => readFileSync(join(world.directory, name), 'utf8') !== ''), {
        name: 'their text',
      });
      const seen = new Set(names.map((name) => readFileSync(join(world.directory, name), 'utf8').trim()));
      return [...seen].map((one) => (/^0 +1 +2 +3$/.test(one) ? '0 1 2 and its own' : one)).join(' | ');
    },
  );

  fault(
    {
      row: 'E2',
      injected: 'a starter with NODE_OPTIONS, COLUMNS, a token and TMUX of another',
      expected: 'panes get none of them',
    },
    async () => {
      const env = {
        NODE_OPTIONS: '--max-http-header-size=9000',
        COLUMNS: '7',
        LINES: '3',
        TMUX: '/x,1,0',
        TMUX_PANE: '%77',
        STY: 'y',
        NODE_CHANNEL_FD: '9',
      };
      await world.call(['-f', '/dev/null', 'new-session', '-d', '-s', 'main', 'env; exec cat'], { env });
      await waitFor(async () => (await world.output('capture-pane', '-pJ', '-S', '-')).includes('MPLEX_CONTROL='), {
        name: 'the environment',
      });
      const lines = (await world.output('capture-pane', '-pJ', '-S', '-')).split('\n');
      const has = (start: string) => lines.some((line) => line.startsWith(start));
      const bad = [
        'COLUMNS=7',
        'LINES=3',
        'TMUX=/x',
        'TMUX_PANE=%77',
        'STY=',
        'NODE_CHANNEL_FD=',
        'MPLEX_KEPT_',
        'MPLEX_LAUNCH',
        'NODE_OPTIONS=',
      ].filter(has);
      return `panes get ${bad.length === 0 ? 'none of them' : bad.join()}`;
    },
  );
});
