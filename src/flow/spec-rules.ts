/**
 * What one part of a spec says of another: ids are unique and exist, every key is known. Works on JSON of any shape and
 * says nothing of what has the wrong shape: that is the schema's.
 */
import type { JsonValue } from '../../protocol/strict-json.ts';
import {
  PLEXER_FLOW_ACTIONS_MAX,
  PLEXER_FLOW_FIELDS_MAX,
  PLEXER_FLOW_OPTIONS_MAX,
  PLEXER_FLOW_SCREENS_MAX,
} from './flow-caps.ts';
import { CANCEL, DONE } from './flow-spec.ts';
import { nearest } from './nearest.ts';
import { makeFault, type SpecFault, type Steps } from './spec-fault.ts';

/** The keys that each part knows. */
export type KnownKeys = Readonly<
  Record<'spec' | 'screen' | 'choice' | 'text' | 'info' | 'option' | 'action', readonly string[]>
>;

type JsonObject = { readonly [key: string]: JsonValue };

/** A part of the spec and where it stands. */
interface Placed {
  readonly steps: Steps;
  readonly value: JsonObject;
}

/** Keys that other tools use for the same, and that no spelling leads to. */
const KEY_WORDS: Readonly<Record<string, string>> = {
  name: 'id',
  key: 'id',
  message: 'body',
  description: 'body',
  question: 'label',
  prompt: 'label',
  choices: 'options',
  items: 'options',
  buttons: 'actions',
  placeholder: 'initial',
  value: 'initial',
  selected: 'default',
  when: 'show_if',
  if: 'show_if',
  condition: 'show_if',
  visible_if: 'show_if',
  goto: 'next',
  version: 'v',
  first: 'start',
  pages: 'screens',
  steps: 'screens',
};

/** Every broken rule, in the order of the spec. Bounded work: lists are read up to their caps. */
export function checkRules(spec: JsonObject, keys: KnownKeys): SpecFault[] {
  const screens = objectsOf(spec, 'screens', { steps: [], max: PLEXER_FLOW_SCREENS_MAX });
  const fieldIds = new Set<string>();
  for (const screen of screens) for (const field of fieldsOf(screen)) addId(fieldIds, field.value.id);
  const screenIds = new Set<string>();
  for (const screen of screens) addId(screenIds, screen.value.id);
  const world: World = { keys, screenIds, fieldIds };
  const seenFields = new Set<string>();
  const seenScreens = new Set<string>();
  return [
    ...checkKeys({ steps: [], value: spec }, keys.spec),
    ...checkTarget({ steps: ['start'], value: spec.start }, screenIds, 'the id of a screen'),
    ...screens.flatMap((screen) => [
      ...checkUnique(screen, seenScreens, 'an id that no other screen has'),
      ...checkScreen(screen, world, seenFields),
    ]),
  ];
}

interface World {
  readonly keys: KnownKeys;
  readonly screenIds: ReadonlySet<string>;
  readonly fieldIds: ReadonlySet<string>;
}

function checkScreen(screen: Placed, world: World, seenFields: Set<string>): SpecFault[] {
  const { steps, value } = screen;
  const actions = objectsOf(value, 'actions', { steps, max: PLEXER_FLOW_ACTIONS_MAX });
  const seenActions = new Set<string>();
  return [
    ...checkReserved(screen),
    ...checkKeys(screen, world.keys.screen),
    ...checkContent(screen),
    ...fieldsOf(screen).flatMap((field) => [
      ...checkUnique(field, seenFields, 'an id that no other field of the flow has'),
      ...checkField(field, world),
    ]),
    ...actions.flatMap((action) => [
      ...checkUnique(action, seenActions, 'an id that no other action of the screen has'),
      ...checkKeys(action, world.keys.action),
    ]),
    ...checkNext(screen, world.screenIds, seenActions),
    ...checkCondition(screen, world.fieldIds),
  ];
}

function checkField(field: Placed, { keys, fieldIds }: World): SpecFault[] {
  const { type } = field.value;
  const known = type === 'choice' || type === 'text' || type === 'info' ? keys[type] : undefined;
  return [
    // Of a field of unknown type it is not known what it may hold.
    ...(known ? checkKeys(field, known) : []),
    ...(type === 'choice' ? checkOptions(field, keys) : []),
    ...checkCondition(field, fieldIds),
  ];
}

function checkOptions({ steps, value }: Placed, keys: KnownKeys): SpecFault[] {
  const { options } = value;
  if (!isList(options)) return [];
  const faults: SpecFault[] = [];
  const seen = new Set<JsonValue>();
  for (const [index, option] of options.slice(0, PLEXER_FLOW_OPTIONS_MAX).entries()) {
    const at = [...steps, 'options', index];
    if (isObject(option)) faults.push(...checkKeys({ steps: at, value: option }, keys.option));
    const recorded = isObject(option) ? option.value : option;
    if (recorded === undefined || (typeof recorded === 'object' && recorded !== null)) continue;
    if (seen.has(recorded)) {
      const place = isObject(option) ? [...at, 'value'] : at;
      faults.push(makeFault(place, recorded, { expected: 'a value that no other option has' }));
    }
    seen.add(recorded);
  }
  const chosen = value.default;
  if (typeof chosen === 'number' && Number.isInteger(chosen) && chosen >= options.length) {
    faults.push(
      makeFault([...steps, 'default'], chosen, { expected: `the index of an option, below ${options.length}` }),
    );
  }
  return faults;
}

/** A screen that would show nothing is a mistake. */
function checkContent({ steps, value }: Placed): SpecFault[] {
  const isEmpty = [value.body, value.fields, value.actions].every(
    (part) => part === undefined || part === '' || (isList(part) && part.length === 0),
  );
  return isEmpty ? [makeFault(steps, value, { expected: 'a screen with a body, fields or actions' })] : [];
}

function checkReserved({ steps, value }: Placed): SpecFault[] {
  if (value.id !== DONE && value.id !== CANCEL) return [];
  return [makeFault([...steps, 'id'], value.id, { expected: `an id other than "${DONE}" and "${CANCEL}"` })];
}

function checkNext(
  { steps, value }: Placed,
  screenIds: ReadonlySet<string>,
  actions: ReadonlySet<string>,
): SpecFault[] {
  const { next } = value;
  const at = [...steps, 'next'];
  const targets = new Set([...screenIds, DONE, CANCEL]);
  const expected = 'the id of a screen, "$done" or "$cancel"';
  if (!isObject(next)) return checkTarget({ steps: at, value: next }, targets, expected);
  return entriesOf(next).flatMap(([action, target]) => [
    ...(actions.has(action)
      ? []
      : [
          makeFault([...at, action], action, {
            expected: 'the id of an action of the screen',
            suggestion: nearest(action, actions),
          }),
        ]),
    ...checkTarget({ steps: [...at, action], value: target }, targets, expected),
  ]);
}

function checkCondition({ steps, value }: Placed, fieldIds: ReadonlySet<string>): SpecFault[] {
  const condition = value.show_if;
  if (!isObject(condition)) return [];
  return entriesOf(condition).flatMap(([field]) => {
    if (fieldIds.has(field)) return [];
    const suggestion = nearest(field, fieldIds);
    return [makeFault([...steps, 'show_if', field], field, { expected: 'the id of a field', suggestion })];
  });
}

function checkTarget(
  { steps, value }: { readonly steps: Steps; readonly value: JsonValue | undefined },
  known: ReadonlySet<string>,
  expected: string,
): SpecFault[] {
  if (typeof value !== 'string' || known.has(value)) return [];
  return [makeFault(steps, value, { expected, suggestion: nearest(value, known) })];
}

function checkUnique({ steps, value }: Placed, seen: Set<string>, expected: string): SpecFault[] {
  const { id } = value;
  if (typeof id !== 'string') return [];
  if (seen.has(id)) return [makeFault([...steps, 'id'], id, { expected })];
  seen.add(id);
  return [];
}

/** Keys with `x-` are other people's. */
function checkKeys({ steps, value }: Placed, known: readonly string[]): SpecFault[] {
  return entriesOf(value).flatMap(([key]) => {
    if (known.includes(key) || key.startsWith('x-')) return [];
    const word = Object.hasOwn(KEY_WORDS, key.toLowerCase()) ? KEY_WORDS[key.toLowerCase()] : undefined;
    const free = known.filter((name) => !Object.hasOwn(value, name));
    const suggestion = word !== undefined && free.includes(word) ? word : nearest(key, free);
    return [makeFault([...steps, key], key, { expected: `one of the keys ${known.join(', ')}`, suggestion })];
  });
}

/** Keys of one object that are looked at. */
const ENTRIES_MAX = 200;

function entriesOf(value: JsonObject): [string, JsonValue][] {
  return Object.entries(value).slice(0, ENTRIES_MAX);
}

function addId(into: Set<string>, id: JsonValue | undefined): void {
  if (typeof id === 'string') into.add(id);
}

function fieldsOf({ steps, value }: Placed): Placed[] {
  return objectsOf(value, 'fields', { steps, max: PLEXER_FLOW_FIELDS_MAX });
}

/** The objects of a list, each with its place. */
function objectsOf(
  parent: JsonObject,
  key: string,
  { steps, max }: { readonly steps: Steps; readonly max: number },
): Placed[] {
  const list = parent[key];
  if (!isList(list)) return [];
  return list
    .slice(0, max)
    .flatMap((value, index) => (isObject(value) ? [{ steps: [...steps, key, index], value }] : []));
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
