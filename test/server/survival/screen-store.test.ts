import { expect, it } from 'vitest';
import { ScreenStore } from '../../../server/survival/screen-store.ts';
import { ModelServer } from '../../support/model-server.ts';

it('a chunk of the history is stored once as it is, and once more when it is deflated', async () => {
  const server = new ModelServer({ defaultKeys: false });
  await server.run('set-option', '-g', 'history-limit', '100000');
  await server.run('new-session', '-d', '-x', '80', '-y', '24', 'cat');
  const pane = server.pane();
  const staged: [key: string, bytes: number][] = [];
  const store = new ScreenStore({
    sink: { stage: (key, { length }) => staged.push([key, length]), drop: () => {} },
    now: () => 0,
    parsedTo: () => 0,
  });
  const stage = () => {
    staged.length = 0;
    store.parsed(pane);
    store.stage([pane], { all: true });
    return new Map(staged.filter(([key]) => key.includes('/h/')));
  };
  pane.emulator.write(Buffer.from('some text that is deflated well, some text that is\r\n'.repeat(5000)));
  pane.emulator.resize({ cols: 80, rows: 25 });
  const raw = stage();
  expect(raw.size).toBeGreaterThan(1);
  expect(stage()).toEqual(new Map());
  while (pane.emulator.tidy());
  const small = stage();
  expect([...small.keys()].sort()).toEqual(expect.arrayContaining([...raw.keys()].sort()));
  for (const [key, bytes] of raw) expect(small.get(key)).toBeLessThan(bytes / 3);
  expect(stage()).toEqual(new Map());
});

it('a pane that never stops printing is stored each ten seconds, and at once when it has', async () => {
  const server = new ModelServer({ defaultKeys: false });
  await server.run('new-session', '-d', '-x', '80', '-y', '24', 'cat');
  const pane = server.pane();
  let now = 0;
  const store = new ScreenStore({ sink: { stage: () => {}, drop: () => {} }, now: () => now, parsedTo: () => now });
  const storedAt: number[] = [];
  const stage = () => {
    if (store.stage([pane], { all: false }).length > 0) storedAt.push(now);
  };
  stage();
  for (now = 100; now <= 25_000; now += 100) {
    pane.emulator.write(Buffer.from('.'));
    if (store.parsed(pane)) stage();
  }
  expect(storedAt).toEqual([0, 10_100, 20_200]);
  now += 200;
  expect(store.hasQuiet()).toBe(true);
  stage();
  expect(storedAt.at(-1)).toBe(now);
  expect(store.isWaiting).toBe(false);
});
