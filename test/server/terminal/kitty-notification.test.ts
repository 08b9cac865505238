import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KittyNotifications } from '../../../server/terminal/kitty-notification.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('a notification of kitty’s', () => {
  it('is put together from its pieces, whatever comes between', () => {
    const cut = fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(cut, cut, (title, body) => {
        const notifications = new KittyNotifications();
        const pieces = [
          ...title.map((text) => `i=x:p=title:d=0:e=1;${base64(text)}`),
          ...body.map((text) => `i=x:p=body:d=0:e=1;${base64(text)}`),
        ];
        for (const piece of pieces) {
          expect(notifications.take(piece)).toBeUndefined();
          expect(notifications.take('i=other;alone')).toEqual({ title: 'alone', body: '' });
        }
        const whole = { title: title.join(''), body: body.join('') };
        const isEmpty = whole.title + whole.body === '';
        expect(notifications.take('i=x:d=1;')).toEqual(isEmpty ? undefined : whole);
        expect(notifications.take('i=x:d=1;')).toBeUndefined();
      }),
    );
  });

  it('is bounded, and so are those that never end', () => {
    const notifications = new KittyNotifications();
    for (let i = 0; i < 1000; i++) notifications.take(`i=endless:d=0;${'x'.repeat(5000)}`);
    expect(notifications.take('i=endless;')?.title.length).toBe(4096);
    for (let i = 0; i < 1000; i++) notifications.take(`i=${i}:d=0;${i}`);
    const kept = Array.from({ length: 1000 }, (_, i) => notifications.take(`i=${i};`)).filter((each) => each);
    expect(kept.map((each) => each?.title)).toEqual(['996', '997', '998', '999']);
  });

  it('takes anything without a fault', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (payload) => {
        const whole = new KittyNotifications().take(payload);
        expect((whole?.title.length ?? 0) + (whole?.body.length ?? 0)).toBeLessThanOrEqual(8192);
      }),
    );
  });
});
