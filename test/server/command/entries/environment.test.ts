import { describe, expect, it } from 'vitest';
import { ModelServer } from '../../../support/model-server.ts';

describe('set-environment and show-environment', () => {
  it('sets, shows and forgets a variable of the session', async () => {
    const server = new ModelServer();
    await server.run('new-session', '-d', '-s', 'one');
    expect(await server.run('set-environment', 'FOO', 'bar')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await server.run('showenv', 'FOO')).stdout).toBe('FOO=bar\n');
    await server.run('setenv', '-u', 'FOO');
    expect(await server.run('showenv', 'FOO')).toEqual({ code: 1, stdout: '', stderr: 'unknown variable: FOO\n' });
  });
});
