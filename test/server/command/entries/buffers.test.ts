import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ModelServer } from '../../../support/model-server.ts';
import { TmuxTwin } from '../../../support/tmux-twin.ts';

const twin = await TmuxTwin.start();
const directory = mkdtempSync(join(tmpdir(), 'mplex-buffers-'));
afterAll(() => {
  twin?.stop();
  rmSync(directory, { recursive: true });
});

describe.skipIf(!twin)('buffer commands compared with tmux 3.3a', () => {
  it('sets, appends, renames, lists and deletes', async () => {
    await twin?.sameLines(`
      set-buffer
      show-buffer
      delete-buffer
      set-buffer -n zz
      set-buffer hello
      set-buffer ''
      set-buffer -b x ''
      list-buffers
      set-buffer -b x more
      show-buffer
      show-buffer -b y
      set-buffer -ab x +++
      show-buffer -b x
      set-buffer -a +++
      list-buffers
      set-buffer -b hello 1
      set-buffer -b x 2
      list-buffers
      set-buffer -n z -b x
      set-buffer -n zz
      list-buffers
      set-buffer -n zz -b nope
      set-buffer -b z -n zz
      set-buffer -b z -n z
      set-buffer -n ''
      set-buffer -n '' -b nope
      set-buffer -b '' xx
      set-buffer -b '' ''
      set-buffer -b yy
      set-buffer a b
      set-buffer -w ww
      set-buffer -wt nosuch ww
      delete-buffer -b nope
      delete-buffer -b zz
      delete-buffer
      list-buffers -F '#{buffer_name} #{buffer_size} #{buffer_sample}'
      list-buffers -f '#{m:h*,#{buffer_name}}'
      list-buffers x
      show-buffer a
    `);
  });

  it('shows the start of a buffer with control characters written out', async () => {
    await twin?.same(['set-buffer', '-b', 'odd', 'a\x1bb\x01\tc\\d\ne"é日本']);
    await twin?.same(['set-buffer', '-b', 'long', Array.from({ length: 200 }, (_, i) => String(i)).join(' ')]);
    await twin?.same(['list-buffers', '-f', '#{||:#{==:#{buffer_name},odd},#{==:#{buffer_name},long}}']);
    await twin?.same(['show-buffer', '-b', 'odd']);
  });

  it('drops the oldest automatic buffers above buffer-limit', async () => {
    await twin?.sameLines(`
      set-buffer -b named 0
      set -g buffer-limit 2
      set-buffer 111
      set-buffer 222
      set-buffer 333
      list-buffers -f '#{m:buffer*,#{buffer_name}}'
      show-buffer -b named
      set -gu buffer-limit
    `);
  });

  it('loads and saves files', async () => {
    writeFileSync(join(directory, 'o'), 'abc\n');
    writeFileSync(join(directory, 'empty'), '');
    const options = { cwd: directory, stdin: 'from stdin' };
    await twin?.sameLines(
      `
      load-buffer -b q o
      show-buffer -b q
      load-buffer -b q ./o
      load-buffer -b q ${directory}/o
      load-buffer -b q '#{session_name}'
      load-buffer -b q ~/nope
      load-buffer /nope/x
      load-buffer empty
      load-buffer -b q empty
      load-buffer -b '' o
      load-buffer -b '' empty
      show-buffer -b q
      load-buffer -b std -
      show-buffer -b std
      save-buffer -
      load-buffer
      load-buffer a b
      save-buffer
      save-buffer -b nope x
      save-buffer /nope/x
      save-buffer /tmp
      save-buffer -b q ./nodir/x
      save-buffer -b q saved
    `,
      options,
    );
    expect(readFileSync(join(directory, 'saved'), 'utf8')).toBe('abc\n');
    await twin?.same(['save-buffer', '-a', '-b', 'q', 'saved'], options);
    // Both appended to the one file.
    expect(readFileSync(join(directory, 'saved'), 'utf8')).toBe('abc\nabc\nabc\n');
  });

  it('finds fault with paste-buffer', async () => {
    await twin?.sameLines(`
      paste-buffer -b nope
      paste-buffer -t nosuch
      paste-buffer x
    `);
  });
});

describe('paste-buffer', () => {
  async function pasted(...flags: string[]) {
    const server = new ModelServer();
    await server.run('new-session', '-d');
    await server.run('set-buffer', '-b', 'b', 'one\ntwo\n');
    const result = await server.run('paste-buffer', '-b', 'b', ...flags);
    return { server, result, asked: server.asked.filter(({ kind }) => kind === 'paste') };
  }

  it('sends a carriage return for each line feed', async () => {
    expect((await pasted()).asked).toMatchObject([{ text: 'one\rtwo\r', bracketed: false }]);
  });

  it('sends the separator of -s, and with -r the line feeds themselves', async () => {
    expect((await pasted('-s', ', ')).asked).toMatchObject([{ text: 'one, two, ' }]);
    expect((await pasted('-r')).asked).toMatchObject([{ text: 'one\ntwo\n' }]);
  });

  it('brackets with -p and deletes with -d', async () => {
    const { server, asked } = await pasted('-dp');
    expect(asked).toMatchObject([{ bracketed: true }]);
    expect(server.registry.buffers.get('b')).toBeUndefined();
  });

  it('does nothing without a buffer', async () => {
    const server = new ModelServer();
    await server.run('new-session', '-d');
    expect(await server.run('paste-buffer')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(server.asked).toEqual([]);
  });

  it('refuses a pane whose program has ended', async () => {
    const server = new ModelServer();
    await server.run('new-session', '-d');
    await server.run('set', '-w', 'remain-on-exit', 'on');
    await server.run('set-buffer', 'x');
    const pane = server.pane();
    server.ptys.of(pane.id).emitExit({ code: 0 });
    await expect.poll(() => pane.isDead).toBe(true);
    expect((await server.run('paste-buffer')).stderr).toBe('target pane has exited\n');
  });
});

describe('set-buffer -w', () => {
  it("puts the text into the client's clipboard too", async () => {
    const server = new ModelServer();
    await server.run('new-session', '-d');
    const client = server.addClient();
    await server.run('set-buffer', '-w', 'text');
    expect(server.sent.get(client)).toEqual([{ kind: 'clipboard', selection: '', text: 'text' }]);
  });
});

describe('load-buffer', () => {
  it('says so when the path is a directory', async () => {
    const server = new ModelServer();
    await server.run('new-session', '-d');
    expect((await server.run('load-buffer', directory)).stderr).toBe(`${directory}: Is a directory\n`);
  });
});
