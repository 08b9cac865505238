// Draws README's picture: runs the built program in a real pty, posts a dialog, and writes the screen as docs/session.svg.
// usage: node scripts/picture.mjs   (after npm run build)
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes';
import xterm from '@xterm/headless';
import { spawn } from 'node-pty';

const COLS = 100;
const ROWS = 30;
const CELL = { width: 8.4, height: 18 };
const PALETTE = [
  '#1d1f21',
  '#cc6666',
  '#8fb573',
  '#e2b55a',
  '#6f9fd8',
  '#b294bb',
  '#6fb8b0',
  '#c5c8c6',
  '#666b70',
  '#d98080',
  '#a8cc8c',
  '#f0c674',
  '#8fb8e8',
  '#c9a9d1',
  '#8fd0c8',
  '#ffffff',
];
const BACKGROUND = '#16181a';
const FOREGROUND = '#c5c8c6';

const home = mkdtempSync(join(tmpdir(), 'mplex-picture-'));
const env = {
  PATH: process.env.PATH,
  HOME: home,
  MPLEX_TMPDIR: home,
  SHELL: '/bin/sh',
  PS1: '$ ',
  TERM: 'xterm-256color',
  COLORTERM: 'truecolor',
};
const mplex = join(import.meta.dirname, '../dist/mplex.js');
const terminal = new xterm.Terminal({ cols: COLS, rows: ROWS, allowProposedApi: true });
terminal.loadAddon(new UnicodeGraphemesAddon());
const pty = spawn(process.execPath, [mplex, '-f', '/dev/null', 'new-session', '-s', 'work', '-n', 'edit', 'sh'], {
  cols: COLS,
  rows: ROWS,
  cwd: join(import.meta.dirname, '..'),
  env,
});
pty.onData((data) => terminal.write(data));
terminal.onData((reply) => pty.write(reply));

const wait = (ms) => new Promise((next) => setTimeout(next, ms));
const type = async (text, ms = 500) => {
  pty.write(text);
  await wait(ms);
};

await wait(1500);
await type('clear; vim -u NONE -c "syntax on" -c "set number" src/flow/flow.ts\r', 1500);
await type('\x02%', 700);
await type('PS1="$ "; clear; git log --oneline --color=always | head -8\r', 1000);
await type('\x02"', 700);
await type('PS1="$ "; clear; echo "agent: build passed, asking where to deploy"\r', 800);

const socket = createConnection(join(home, `mplex-${process.getuid()}`, 'default.ctl'));
socket.write(
  `${JSON.stringify({ op: 'show', kind: 'choice', pane: '%2', title: 'Deploy', body: 'Build 1841 passed. Where should it go?', options: ['staging', 'production', 'nowhere yet'], default: 0 })}\n`,
);
await wait(1500);
socket.destroy();
writeFileSync(join(import.meta.dirname, '../docs/session.svg'), drawSvg());
pty.write('\x1b');
await wait(200);
pty.kill();
await new Promise((done) => spawn(process.execPath, [mplex, 'kill-server'], { env }).onExit(done));
rmSync(home, { recursive: true, force: true });
process.exit(0);

function drawSvg() {
  const buffer = terminal.buffer.active;
  const parts = [];
  for (let y = 0; y < ROWS; y++) {
    const line = buffer.getLine(buffer.viewportY + y);
    for (let x = 0; x < COLS; x++) {
      const cell = line?.getCell(x);
      if (!cell || cell.getWidth() === 0) continue;
      let fg = color(cell.isFgRGB(), cell.isFgPalette(), cell.getFgColor(), FOREGROUND);
      let bg = color(cell.isBgRGB(), cell.isBgPalette(), cell.getBgColor(), BACKGROUND);
      if (cell.isInverse()) [fg, bg] = [bg, fg];
      const left = (x * CELL.width).toFixed(1);
      if (bg !== BACKGROUND)
        parts.push(
          `<rect x="${left}" y="${y * CELL.height}" width="${(CELL.width * cell.getWidth() + 0.3).toFixed(1)}" height="${CELL.height}" fill="${bg}"/>`,
        );
      const text = cell.getChars();
      if (text.trim() === '') continue;
      const style = `${cell.isBold() ? ' font-weight="bold"' : ''}${cell.isDim() ? ' opacity="0.6"' : ''}`;
      parts.push(
        `<text x="${left}" y="${y * CELL.height + 13.5}" fill="${fg}"${style}>${text.replace(/[<&>]/g, (c) => `&#${c.charCodeAt(0)};`)}</text>`,
      );
    }
  }
  const [width, height] = [Math.ceil(COLS * CELL.width), ROWS * CELL.height];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-12 -12 ${width + 24} ${height + 24}" font-family="Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">\n<rect x="-12" y="-12" width="${width + 24}" height="${height + 24}" rx="8" fill="${BACKGROUND}"/>\n${parts.join('\n')}\n</svg>\n`;
}

function color(isRgb, isPalette, value, fallback) {
  if (isRgb) return `#${value.toString(16).padStart(6, '0')}`;
  if (!isPalette) return fallback;
  if (value < 16) return PALETTE[value];
  if (value >= 232) return `#${(8 + (value - 232) * 10).toString(16).padStart(2, '0').repeat(3)}`;
  const level = (n) => (n === 0 ? 0 : 55 + n * 40).toString(16).padStart(2, '0');
  const cube = value - 16;
  return `#${level(Math.floor(cube / 36))}${level(Math.floor(cube / 6) % 6)}${level(cube % 6)}`;
}
