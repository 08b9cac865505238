import { expect, it } from 'vitest';
import { descriptorOf, pathInProcess } from '../../protocol/descriptor-path.ts';

it.each([
  ['/dev/stdin', 0],
  ['/dev/stdout', 1],
  ['/dev/stderr', 2],
  ['/dev/fd/63', 63],
  ['/proc/self/fd/5', 5],
])('%s is descriptor %i of whoever opens it', (path, descriptor) => {
  expect(descriptorOf(path)).toBe(descriptor);
  expect(pathInProcess(path, 42)).toBe(`/proc/42/fd/${descriptor}`);
});

it.each(['/dev/fd/', '/dev/fd/5/x', '/dev/fd/../sda', '/proc/self/stdin', 'dev/fd/5', '/dev/stdinx', '/dev/tty', ''])(
  '%j is a path as any other',
  (path) => {
    expect(descriptorOf(path)).toBeUndefined();
    expect(pathInProcess(path, 42)).toBe(path);
  },
);
