/**
 * Flow specs at random, good and spoiled, and a checker of its own: written from the contract's words and sharing
 * nothing with the one under test.
 */
import fc from 'fast-check';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>('a', 'b', '', '1', 'true'),
  fc.constantFrom<Json>(0, 1, 2, 1.5),
  fc.boolean(),
  fc.constant<Json>(null),
);
const words = fc.constantFrom('Deploy', 'Wo?', 'x', 'é世😀', 'two\nlines');

function optional(record: Record<string, fc.Arbitrary<Json>>, required: readonly string[]): fc.Arbitrary<JsonObject> {
  return fc.record(record, { requiredKeys: [...required] }) as fc.Arbitrary<JsonObject>;
}

function condition(fields: readonly string[]): fc.Arbitrary<Json> {
  if (fields.length === 0) return fc.constant<Json>({});
  const clause = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }) as fc.Arbitrary<Json>);
  return fc.dictionary(fc.constantFrom(...fields), clause, { maxKeys: 2 }) as fc.Arbitrary<Json>;
}

const option: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>('a', 'b', 'c', 'd'),
  fc.record({ label: words, value: scalar }) as fc.Arbitrary<Json>,
);

function recordedBy(option: Json): Json | undefined {
  return isObject(option) ? option.value : option;
}

function field(id: string, fields: readonly string[]): fc.Arbitrary<JsonObject> {
  const show_if = condition(fields);
  const own = { id: fc.constant<Json>(id) };
  const options = fc.uniqueArray(option, { minLength: 1, maxLength: 4, selector: recordedBy }) as fc.Arbitrary<Json[]>;
  return fc.oneof(
    options.chain((list) =>
      optional(
        {
          ...own,
          type: fc.constant<Json>('choice'),
          label: words,
          options: fc.constant<Json>(list),
          default: fc.nat(list.length - 1),
          show_if,
        },
        ['id', 'type', 'options'],
      ),
    ),
    optional({ ...own, type: fc.constant<Json>('text'), label: words, initial: words, show_if }, ['id', 'type']),
    optional({ ...own, type: fc.constant<Json>('info'), text: words, show_if }, ['id', 'type', 'text']),
  );
}

function screen(id: string, all: { screens: readonly string[]; fields: readonly string[]; own: readonly string[] }) {
  const target = fc.constantFrom<Json>(...all.screens, '$done', '$cancel');
  return fc.uniqueArray(fc.constantFrom('go', 'back', 'stop'), { maxLength: 3 }).chain((actions) =>
    optional(
      {
        id: fc.constant<Json>(id),
        title: words,
        body: words,
        fields: fc.tuple(...all.own.map((name) => field(name, all.fields))) as unknown as fc.Arbitrary<Json>,
        actions: fc.constant<Json>(actions.map((name) => ({ id: name, label: `Do ${name}` }))),
        next:
          actions.length === 0
            ? target
            : fc.oneof(target, fc.dictionary(fc.constantFrom(...actions), target) as fc.Arbitrary<Json>),
        show_if: condition(all.fields),
      },
      ['id', 'body', 'fields', 'actions'],
    ),
  );
}

/** A good spec of up to 5 screens, loops and skipped screens included. */
export function anySpec(): fc.Arbitrary<JsonObject> {
  return fc.array(fc.nat(3), { minLength: 1, maxLength: 5 }).chain((counts) => {
    const screens = counts.map((_, n) => `s${n}`);
    const owns = counts.map((count, n) => Array.from({ length: count }, (_, at) => `f${n}${at}`));
    const fields = owns.flat();
    const parts = screens.map((id, n) => screen(id, { screens, fields, own: owns[n] ?? [] }));
    return optional(
      {
        v: fc.constant<Json>(1),
        title: words,
        timeout: fc.integer({ min: 5, max: 600 }),
        start: fc.constantFrom<Json>(...screens),
        screens: fc.tuple(...parts) as unknown as fc.Arbitrary<Json>,
      },
      ['screens'],
    );
  });
}

/** A good spec with one place of it changed into something else; it may still be good. */
export function spoiledSpec(): fc.Arbitrary<Json> {
  const replacement = fc.oneof(
    scalar,
    fc.constantFrom<Json>(
      [],
      {},
      ['a'],
      { a: 1 },
      -1,
      1e9,
      'x'.repeat(201),
      'x'.repeat(2001),
      's0',
      'f00',
      '$done',
      'a b',
    ),
  );
  return fc
    .tuple(anySpec(), fc.nat(), replacement, fc.constantFrom('replace', 'remove', 'add', 'repeat'))
    .map(([spec, pick, value, how]) => {
      const copy = JSON.parse(JSON.stringify(spec)) as Json;
      const places = placesOf(copy);
      const place = places[pick % places.length];
      if (!place) return value;
      const { parent, key } = place;
      if (how === 'remove') removeAt(parent, key);
      else if (how === 'add' && isObject(parent)) parent[`${key}s`] = value;
      else if (how === 'repeat' && Array.isArray(parent)) parent.push(parent[Number(key)] ?? null);
      else setAt(parent, key, value);
      return copy;
    });
}

interface Place {
  readonly parent: Json[] | JsonObject;
  readonly key: string;
}

function placesOf(value: Json): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [{ parent: value, key }, ...placesOf(inner)]);
}

function setAt(parent: Json[] | JsonObject, key: string, value: Json): void {
  if (Array.isArray(parent)) parent[Number(key)] = value;
  else parent[key] = value;
}

function removeAt(parent: Json[] | JsonObject, key: string): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
}

// ---- the checker ----

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isScalar = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value);
const isText = (value: unknown, max: number) => typeof value === 'string' && [...value].length <= max;
const isId = (value: unknown) => isText(value, 64) && value !== '' && !/\s/.test(String(value));
const hasOnly = (value: JsonObject, keys: string) =>
  Object.keys(value).every((key) => key.startsWith('x-') || keys.split(' ').includes(key));
const isUnique = (values: readonly unknown[]) => new Set(values).size === values.length;
/** Absent, or as it should be. */
const fits = (value: unknown, test: (value: unknown) => boolean) => value === undefined || test(value);
const listOf = (value: unknown, max: number): unknown[] | undefined =>
  Array.isArray(value) && value.length <= max ? value : undefined;

/** Whether a spec keeps every rule of uiflow's version 1 and of the rulings on it. */
export function isGoodSpec(spec: unknown): boolean {
  if (!isObject(spec) || !hasOnly(spec, 'v title timeout start screens')) return false;
  if (!fits(spec.v, (v) => v === 1) || !fits(spec.title, (title) => isText(title, 200))) return false;
  if (!fits(spec.timeout, (n) => typeof n === 'number' && n >= 5 && n <= 600)) return false;
  const screens = listOf(spec.screens, 32);
  if (!screens || screens.length === 0 || !screens.every(isObject)) return false;
  const ids = screens.map(({ id }) => id);
  if (!ids.every(isId) || !isUnique(ids) || ids.includes('$done') || ids.includes('$cancel')) return false;
  if (!fits(spec.start, (start) => ids.includes(start as Json))) return false;
  if (!screens.every(({ fields }) => fits(fields, (list) => listOf(list, 12)?.every(isObject) === true))) return false;
  const fields = screens.flatMap((one) => (one.fields as JsonObject[] | undefined) ?? []);
  const fieldIds = fields.map(({ id }) => id);
  if (!fieldIds.every(isId) || !isUnique(fieldIds)) return false;
  const known = { targets: [...ids, '$done', '$cancel'], fields: fieldIds };
  return screens.every((one) => isGoodScreen(one, known)) && fields.every((one) => isGoodField(one, known.fields));
}

function isGoodScreen(screen: JsonObject, known: { targets: unknown[]; fields: unknown[] }): boolean {
  if (!hasOnly(screen, 'id title body fields actions next show_if')) return false;
  if (!fits(screen.title, (title) => isText(title, 200)) || !fits(screen.body, (body) => isText(body, 2000)))
    return false;
  const actions = screen.actions === undefined ? [] : listOf(screen.actions, 12);
  if (!actions?.every(isObject)) return false;
  for (const action of actions) {
    if (!hasOnly(action, 'id label') || !isId(action.id) || !isText(action.label, 200) || action.label === '')
      return false;
  }
  const names = actions.map(({ id }) => id);
  if (!isUnique(names)) return false;
  const isEmpty = !screen.body && ((screen.fields as Json[] | undefined)?.length ?? 0) === 0 && actions.length === 0;
  if (isEmpty) return false;
  const isTarget = (target: unknown) => known.targets.includes(target);
  const isNext = (next: unknown) =>
    isObject(next)
      ? Object.entries(next).every(([action, target]) => names.includes(action) && isTarget(target))
      : isTarget(next);
  return fits(screen.next, isNext) && fits(screen.show_if, (one) => isGoodCondition(one, known.fields));
}

function isGoodCondition(condition: unknown, fields: readonly unknown[]): boolean {
  if (!isObject(condition)) return false;
  return Object.entries(condition).every(
    ([field, expected]) =>
      fields.includes(field) && (isScalar(expected) || (Array.isArray(expected) && expected.every(isScalar))),
  );
}

function isGoodField(field: JsonObject, fields: readonly unknown[]): boolean {
  if (!fits(field.show_if, (one) => isGoodCondition(one, fields))) return false;
  switch (field.type) {
    case 'info':
      return hasOnly(field, 'id type show_if text') && isText(field.text, 2000);
    case 'text':
      return (
        hasOnly(field, 'id type show_if label initial') &&
        fits(field.label, (label) => isText(label, 200)) &&
        fits(field.initial, (initial) => isText(initial, 2000))
      );
    case 'choice': {
      if (!hasOnly(field, 'id type show_if label options default')) return false;
      if (!fits(field.label, (label) => isText(label, 200))) return false;
      const options = listOf(field.options, 12);
      if (!options || options.length === 0) return false;
      const isGood = options.every((one) =>
        isObject(one)
          ? hasOnly(one, 'label value') && isText(one.label, 200) && one.value !== undefined && isScalar(one.value)
          : isText(one, 200),
      );
      const values = options.map((one) => (isObject(one) ? one.value : one));
      const isIndex = (n: unknown) => Number.isInteger(n) && (n as number) >= 0 && (n as number) < options.length;
      return isGood && isUnique(values) && fits(field.default, isIndex);
    }
    default:
      return false;
  }
}
