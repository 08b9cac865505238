import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noticeEndText, noticeText, noticeWay } from '../../../client/attach/notice.ts';
import { NOTICE_KINDS } from '../../../protocol/message.ts';

describe('the way to call a person', () => {
  it.each([
    ['auto', 'kitty(0.36.4)', 'xterm-kitty', 'osc99'],
    ['osc777', 'kitty(0.36.4)', 'xterm-kitty', 'bell'],
    ['auto', 'ghostty 1.1.0', 'xterm-ghostty', 'osc777'],
    ['osc9', 'iTerm2 3.5', 'xterm-256color', 'osc9'],
    ['auto', '', 'rxvt-unicode-256color', 'osc777'],
    ['auto', '', 'xterm-256color', 'bell'],
    ['osc99', 'tmux 3.3a', 'tmux-256color', 'bell'],
    ['auto', 'mplex 0.1.0', 'tmux-256color', 'osc777'],
    ['bell', 'kitty(0.36.4)', 'xterm-kitty', 'bell'],
  ] as const)('with flow-notify %s in %s (%s) is %s', (how, name, term, way) => {
    expect(noticeWay(how, { name, term })).toBe(way);
  });
});

describe('a notice', () => {
  it('is one of the three sequences', () => {
    const notice = { id: '3', title: 'bash in %1', body: 'Deploy; now?' };
    expect(noticeText('osc9', notice)).toBe('\x1b]9;mplex: bash in %1: Deploy; now?\x1b\\');
    expect(noticeText('osc777', notice)).toBe('\x1b]777;notify;bash in %1;Deploy, now?\x1b\\');
    expect(noticeText('osc99', notice)).toBe(
      '\x1b]99;i=mplex-3:d=0:e=1:p=title;YmFzaCBpbiAlMQ==\x1b\\' +
        '\x1b]99;i=mplex-3:d=1:e=1:p=body;RGVwbG95OyBub3c/\x1b\\',
    );
    expect(noticeEndText('3')).toBe('\x1b]99;i=mplex-3:p=close;\x1b\\');
  });

  it('lets nothing of a program end or start a sequence, and is bounded', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 400 }),
        fc.constantFrom('osc9', 'osc777', 'osc99'),
        (text, way) => {
          const bytes = noticeText(way as 'osc9', { id: '1', title: text, body: `${text}\x1b]52;c;\x07` });
          const inside = bytes.replaceAll(/\x1b\](?:9|777|99);/g, '').replaceAll('\x1b\\', '');
          expect(inside).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
          expect(bytes.length).toBeLessThan(2000);
        },
      ),
    );
  });

  it('has a way for every kind of the option', () => {
    for (const how of NOTICE_KINDS) expect(noticeWay(how, { name: 'foot', term: 'foot' })).toBeDefined();
  });
});
