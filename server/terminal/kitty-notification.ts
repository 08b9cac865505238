/**
 * Notifications of kitty's OSC 99, put together from their pieces: `metadata ; payload`, where the metadata names the
 * notification (`i`), the part that the payload belongs to (`p=title`, `p=body`), its encoding (`e=1` base64) and whether
 * more comes (`d=0`).
 */

/** Notifications of one terminal that wait for more pieces; of more the oldest are forgotten. */
const WAITING_MAX = 4;
/** Of a title or a body as many UTF-16 units are kept. */
const PART_MAX = 4096;
/** Other payloads (close, icon, buttons, questions) are no text to show. */
const PARTS: Readonly<Record<string, keyof KittyNotification>> = { title: 'title', body: 'body' };

export interface KittyNotification {
  readonly title: string;
  readonly body: string;
}

export class KittyNotifications {
  readonly #waiting = new Map<string, KittyNotification>();

  /** The notification that a piece completes. */
  take(payload: string): KittyNotification | undefined {
    const semicolon = payload.indexOf(';');
    if (semicolon === -1) return undefined;
    const metadata = new Map(payload.slice(0, semicolon).split(':').map(splitField));
    const part = PARTS[metadata.get('p') ?? 'title'];
    if (!part) return undefined;
    const id = (metadata.get('i') ?? '').slice(0, 64);
    const text = decode(payload.slice(semicolon + 1), metadata.get('e') === '1');
    const before = this.#waiting.get(id) ?? { title: '', body: '' };
    const whole = { ...before, [part]: (before[part] + text).slice(0, PART_MAX) };
    this.#waiting.delete(id);
    if (metadata.get('d') !== '0') return whole.title === '' && whole.body === '' ? undefined : whole;
    this.#waiting.set(id, whole);
    const oldest = this.#waiting.size > WAITING_MAX ? this.#waiting.keys().next().value : undefined;
    if (oldest !== undefined) this.#waiting.delete(oldest);
    return undefined;
  }
}

function splitField(field: string): readonly [key: string, value: string] {
  const equals = field.indexOf('=');
  return equals === -1 ? [field, ''] : [field.slice(0, equals), field.slice(equals + 1)];
}

function decode(text: string, isBase64: boolean): string {
  return isBase64 ? Buffer.from(text.slice(0, PART_MAX * 2), 'base64').toString('utf8') : text.slice(0, PART_MAX);
}
