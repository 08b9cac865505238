import { describe, expect, it } from 'vitest';
import { findSpawnObstacle, HEADROOM, realSystem } from '../../../server/pty-host/headroom.ts';

const LIMITS =
  'Limit                     Soft Limit           Hard Limit           Units\nMax processes             100                  200                  processes\n';

function obstacle(files: Record<string, string>, uid = 1000): string | undefined {
  const names = new Set(Object.keys(files).map((path) => path.split('/')[2] ?? ''));
  return findSpawnObstacle({ read: (path) => files[path], list: () => ['self', ...names], uid });
}

describe('findSpawnObstacle', () => {
  it('counts the threads of this user when the machine may be near the limit', () => {
    const files = {
      '/proc/self/limits': LIMITS,
      '/proc/loadavg': '0.00 0.01 0.05 1/900 4242\n',
      '/proc/1/status': 'Name:\tinit\nUid:\t0\t0\t0\t0\nThreads:\t500\n',
      '/proc/20/status': 'Name:\ta\nUid:\t1000\t1000\t1000\t1000\nThreads:\t60\n',
      '/proc/21/status': `Name:\tb\nUid:\t1000\t1000\t1000\t1000\nThreads:\t${40 - HEADROOM}\n`,
    };
    expect(obstacle(files)).toBeUndefined();
    const more = { ...files, '/proc/22/status': 'Uid:\t1000\t1000\t1000\t1000\nThreads:\t1\n' };
    expect(obstacle(more)).toBe('too many processes: limit 100');
    expect(obstacle(more, 0)).toBeUndefined();
  });

  it('does not count where the whole machine is below the limit', () => {
    const files = {
      '/proc/self/limits': LIMITS,
      '/proc/loadavg': '0.00 0.01 0.05 1/80 4242\n',
      '/proc/20/status': 'Uid:\t1000\t1000\t1000\t1000\nThreads:\t5000\n',
    };
    expect(obstacle(files)).toBeUndefined();
  });

  it('heeds the limit of the control group and of those above it', () => {
    const files = {
      '/proc/self/cgroup': '0::/user.slice/app\n',
      '/sys/fs/cgroup/user.slice/app/pids.max': 'max\n',
      '/sys/fs/cgroup/user.slice/app/pids.current': '5\n',
      '/sys/fs/cgroup/user.slice/pids.max': '50\n',
      '/sys/fs/cgroup/user.slice/pids.current': `${50 - HEADROOM}\n`,
    };
    expect(obstacle(files)).toBeUndefined();
    expect(obstacle({ ...files, '/sys/fs/cgroup/user.slice/pids.current': '45\n' })).toBe(
      'too many processes: limit 50 of the control group',
    );
  });

  it('knows the first version of control groups', () => {
    const files = {
      '/proc/self/cgroup': '4:cpu,pids:/docker/x\n2:memory:/docker/x\n',
      '/sys/fs/cgroup/pids/docker/x/pids.max': '20\n',
      '/sys/fs/cgroup/pids/docker/x/pids.current': '19\n',
    };
    expect(obstacle(files)).toBe('too many processes: limit 20 of the control group');
  });

  it('finds no obstacle where nothing can be read, nor on this machine', () => {
    expect(obstacle({})).toBeUndefined();
    expect(findSpawnObstacle(realSystem)).toBeUndefined();
  });
});
