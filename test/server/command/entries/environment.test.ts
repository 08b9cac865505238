import { afterAll, describe, expect, it } from 'vitest';
import { ModelServer } from '../../../support/model-server.ts';
import { TmuxTwin } from '../../../support/tmux-twin.ts';

const twin = await TmuxTwin.start();
afterAll(() => twin?.stop());

describe.skipIf(!twin)('environment commands compared with tmux 3.3a', () => {
  it('sets, marks for removal, forgets and hides variables', async () => {
    await twin?.sameLines(`
      setenv FOO bar
      showenv FOO
      showenv -s FOO
      setenv -r FOO
      showenv FOO
      showenv -s FOO
      setenv -ur FOO
      showenv FOO
      setenv -u NOPE
      setenv -h HID x
      showenv HID
      showenv -h
      showenv -h HID
      showenv -hs
      setenv -hr Q
      showenv Q
      showenv -h Q
      setenv -F FF '#{session_name}'
      showenv FF
      setenv -g GG 1
      showenv -g GG
      setenv -gu GG
      showenv -g GG
    `);
    await twin?.same(['setenv', '-g', 'G$', 'a"b`c$d\\e']);
    await twin?.same(['showenv', '-gs', 'G$']);
    await twin?.same(['showenv', '-g', 'G$']);
  });

  it('tells what is wrong', async () => {
    await twin?.sameLines(`
      showenv NOPE
      showenv -g NOPE
      showenv -s NOPE
      setenv FOO
      setenv -u FOO x
      setenv -r FOO x
      setenv A=B x
      setenv '' x
      setenv
      setenv A B C
      showenv A B
      setenv -t nosuch A b
      setenv -gt nosuch A b
      showenv -t nosuch
      showenv -t nosuch A
      showenv -gt nosuch A
    `);
  });
});

describe('show-environment', () => {
  it('lists the variables of a session by name', async () => {
    const server = new ModelServer();
    await server.run('new-session', '-d', '-E');
    for (const name of ['B', 'A', 'C']) await server.run('setenv', name, name.toLowerCase());
    expect((await server.run('showenv')).stdout).toBe('A=a\nB=b\nC=c\n');
    expect((await server.run('showenv', '-s', 'A')).stdout).toBe('A="a"; export A;\n');
  });
});
