/** strftime(3) in the C locale and local time, as the status line uses it (POSIX, with glibc's flags and extensions). */

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];
const DAY_MS = 86_400_000;
/** The widest field that `%500d` may ask for, in characters; a larger one counts as this. */
const WIDTH_MAX = 1024;

/** What one conversion gives: text, or a number with its usual padding. */
type Field = string | { readonly value: number; readonly width: number; readonly pad: '0' | ' ' };

function zero(value: number, width = 2): Field {
  return { value, width, pad: '0' };
}

function blank(value: number, width = 2): Field {
  return { value, width, pad: ' ' };
}

function dayOfYear(date: Date): number {
  const start = Date.UTC(date.getFullYear(), 0, 1);
  return Math.round((Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - start) / DAY_MS);
}

/** Week of the year when weeks start on `firstDay` (0 is Sunday); days before the first such day are week 0. */
function weekOfYear(date: Date, firstDay: number): number {
  return Math.floor((dayOfYear(date) + 7 - ((date.getDay() - firstDay + 7) % 7)) / 7);
}

/** ISO 8601 week and its year. */
function isoWeek(date: Date): { year: number; week: number } {
  const thursday = new Date(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()));
  thursday.setUTCDate(thursday.getUTCDate() + 4 - (thursday.getUTCDay() || 7));
  const year = thursday.getUTCFullYear();
  return { year, week: Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / DAY_MS / 7) + 1 };
}

function zoneOffset(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  const size = Math.abs(minutes);
  const hours = String(Math.trunc(size / 60)).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${hours}${String(size % 60).padStart(2, '0')}`;
}

/** Locales that between them have names for most zones; ICU writes `GMT+1` where a locale has none. */
const ZONE_LOCALES = ['en-US', 'en-GB', 'en-AU', 'en-NZ', 'en-ZA', 'en-IN', 'ja-JP'];

/** The zone's abbreviation, or its offset (`+03`) as the zone database writes it where there is none. */
function zoneName(date: Date): string {
  for (const locale of ZONE_LOCALES) {
    const parts = new Intl.DateTimeFormat(locale, { timeZoneName: 'short' }).formatToParts(date);
    const name = parts.find((part) => part.type === 'timeZoneName')?.value ?? 'UTC';
    if (name === 'GMT' && date.getTimezoneOffset() === 0) return isUniversal() ? 'UTC' : 'GMT';
    if (/^[A-Z]{3,5}$/.test(name)) return name;
  }
  return zoneOffset(date).replace(/00$/, '');
}

function isUniversal(): boolean {
  return /^(?:Etc\/)?(?:UTC|UCT|Universal|Zulu)$/.test(new Intl.DateTimeFormat().resolvedOptions().timeZone);
}

const CONVERSIONS: Readonly<Record<string, (date: Date) => Field>> = {
  a: (date) => (DAYS[date.getDay()] ?? '').slice(0, 3),
  A: (date) => DAYS[date.getDay()] ?? '',
  b: (date) => (MONTHS[date.getMonth()] ?? '').slice(0, 3),
  B: (date) => MONTHS[date.getMonth()] ?? '',
  c: (date) => formatTime('%a %b %e %H:%M:%S %Y', date),
  C: (date) => zero(Math.floor(date.getFullYear() / 100)),
  d: (date) => zero(date.getDate()),
  D: (date) => formatTime('%m/%d/%y', date),
  e: (date) => blank(date.getDate()),
  F: (date) => formatTime('%Y-%m-%d', date),
  g: (date) => zero(isoWeek(date).year % 100),
  G: (date) => zero(isoWeek(date).year, 1),
  h: (date) => (MONTHS[date.getMonth()] ?? '').slice(0, 3),
  H: (date) => zero(date.getHours()),
  I: (date) => zero(date.getHours() % 12 || 12),
  j: (date) => zero(dayOfYear(date) + 1, 3),
  k: (date) => blank(date.getHours()),
  l: (date) => blank(date.getHours() % 12 || 12),
  m: (date) => zero(date.getMonth() + 1),
  M: (date) => zero(date.getMinutes()),
  n: () => '\n',
  p: (date) => (date.getHours() < 12 ? 'AM' : 'PM'),
  P: (date) => (date.getHours() < 12 ? 'am' : 'pm'),
  r: (date) => formatTime('%I:%M:%S %p', date),
  R: (date) => formatTime('%H:%M', date),
  s: (date) => zero(Math.floor(date.getTime() / 1000), 1),
  S: (date) => zero(date.getSeconds()),
  t: () => '\t',
  T: (date) => formatTime('%H:%M:%S', date),
  u: (date) => zero(date.getDay() || 7, 1),
  U: (date) => zero(weekOfYear(date, 0)),
  V: (date) => zero(isoWeek(date).week),
  w: (date) => zero(date.getDay(), 1),
  W: (date) => zero(weekOfYear(date, 1)),
  x: (date) => formatTime('%m/%d/%y', date),
  X: (date) => formatTime('%H:%M:%S', date),
  y: (date) => zero(date.getFullYear() % 100),
  Y: (date) => zero(date.getFullYear(), 1),
  z: (date) => zoneOffset(date),
  Z: (date) => zoneName(date),
  '%': () => '%',
};

const SPECIFIER = /%([-_0^#]*)(\d*)[EO]?([a-zA-Z%])/g;

/** Expands the conversions of a text; those that are not known stay as they are. */
export function formatTime(text: string, date: Date): string {
  return text.replace(SPECIFIER, (whole: string, flags: string, width: string, letter: string) => {
    const convert = Object.hasOwn(CONVERSIONS, letter) ? CONVERSIONS[letter] : undefined;
    return convert ? pad(convert(date), flags, width, letter) : whole;
  });
}

function pad(field: Field, flags: string, width: string, letter: string): string {
  const wanted = Math.min(Number(width), WIDTH_MAX);
  const flag = /[-_0]/.test(flags) ? flags.replace(/[^-_0]/g, '').at(-1) : undefined;
  if (typeof field !== 'string') {
    const fill = flag === '_' ? ' ' : flag === '0' ? '0' : field.pad;
    return flag === '-' ? String(field.value) : String(field.value).padStart(Math.max(field.width, wanted), fill);
  }
  return changeCase(field, flags, letter).padStart(wanted, flag === '0' ? '0' : ' ');
}

function changeCase(text: string, flags: string, letter: string): string {
  if (flags.includes('^')) return text.toUpperCase();
  if (!flags.includes('#')) return text;
  return letter === 'p' || letter === 'Z' ? text.toLowerCase() : text.toUpperCase();
}
