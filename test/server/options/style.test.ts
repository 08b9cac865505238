import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import {
  BG_EXTENDED,
  COLOR_DEFAULT,
  COLOR_PALETTE16,
  COLOR_PALETTE256,
  COLOR_RGB,
  FG_BOLD,
  FG_UNDERLINE,
} from '../../../protocol/cell.ts';
import { COLOR_TERMINAL, colorToCell, colorToRgb, parseColor, printColor } from '../../../server/options/color.ts';
import {
  ATTRIBUTE,
  applyStyle,
  cellToTextStyle,
  DEFAULT_STYLE_VALUE,
  DEFAULT_TEXT_STYLE,
  parseStyle,
  type Style,
  textStyleToCell,
} from '../../../server/options/style.ts';
import { TmuxReference } from '../../support/tmux-reference.ts';

const tmux = TmuxReference.start();
afterAll(() => tmux?.stop());

const parse = (text: string, from: Style = DEFAULT_STYLE_VALUE) => parseStyle(text, from, DEFAULT_TEXT_STYLE);

/** The shortest text that gives the style from DEFAULT_STYLE_VALUE; `default` for that one itself. */
function printStyle(style: Style): string {
  const terms: string[] = [];
  if (style.list !== 'off') terms.push(`list=${style.list}`);
  if (style.range.kind === 'window') terms.push(`range=window|${style.range.index}`);
  else if (style.range.kind !== 'none') terms.push(`range=${style.range.kind}`);
  if (style.align !== 'default') terms.push(`align=${style.align}`);
  if (style.defaultAction !== 'base') terms.push(`${style.defaultAction}-default`);
  if (style.ignore) terms.push('ignore');
  if (style.fill !== COLOR_DEFAULT) terms.push(`fill=${printColor(style.fill)}`);
  if (style.fg !== COLOR_DEFAULT) terms.push(`fg=${printColor(style.fg)}`);
  if (style.bg !== COLOR_DEFAULT) terms.push(`bg=${printColor(style.bg)}`);
  if (style.us !== COLOR_DEFAULT) terms.push(`us=${printColor(style.us)}`);
  for (const [name, bit] of Object.entries(ATTRIBUTE)) if (style.attributes & bit) terms.push(name);
  return terms.length === 0 ? 'default' : terms.join(',');
}

const TERMS = [
  ...[
    'default',
    'none',
    'bold',
    'bright',
    'dim',
    'nobold',
    'no',
    'noattr',
    'BOLD',
    'acs',
    'noacs',
    'bold|dim',
    'nobold|dim',
  ],
  ...['fg=red', 'FG=Red', 'bg=colour200', 'fg=#aabbcc', 'fg=', 'fg', 'fg=nope', 'bg=terminal', 'bg=default', 'fg==red'],
  ...[
    'align=left',
    'align=centre',
    'align=right',
    'align=absolute-centre',
    'align=middle',
    'noalign',
    'list=on',
    'nolist',
  ],
  ...['list=focus', 'list=left-marker', 'list=right-marker', 'list=off', 'range=left', 'range=right', 'range=window|3'],
  ...['range=window', 'range=window|x', 'range=user|x', 'norange', 'fill=red', 'fill=x', 'push-default', 'pop-default'],
  ...[
    'ignore',
    'noignore',
    'underline',
    'italic',
    'italics',
    'overline',
    'double-underscore',
    'curly-underscore',
    'link=x',
  ],
  ...[
    'hidden',
    'blink',
    'reverse',
    'strikethrough',
    'dotted-underscore',
    'dashed-underscore',
    'standout',
    '1',
    'a=b',
    '=',
  ],
];

describe.skipIf(!tmux)('styles and colours compared with tmux 3.3a', () => {
  it('takes and refuses the same styles', async () => {
    const lists = fc.sample(fc.array(fc.constantFrom(...TERMS), { minLength: 1, maxLength: 3 }), {
      numRuns: 200,
      seed: 3,
    });
    const texts = [...TERMS, ...lists.map((terms, index) => terms.join([' ', ',', ', ', '\n'][index % 4]))];
    const blocks = await tmux?.batch(texts.map((text) => ['set', '-g', '--', 'status-style', text]));
    expect(texts.map((text) => `${text} ${parse(text) !== undefined}`)).toEqual(
      texts.map((text, index) => `${text} ${blocks?.[index]?.ok}`),
    );
  });

  it('knows the same colours by the same names', async () => {
    const names = [
      ...[
        'red',
        'brightblue',
        'BrightRed',
        'white',
        'colour0',
        'colour255',
        'colour256',
        'color17',
        'COLOUR3',
        '0',
        '7',
        '8',
        '90',
      ],
      ...[
        '97',
        '98',
        '#123456',
        '#12345',
        '#ABCDEF',
        'default',
        'terminal',
        'none',
        '',
        'orange',
        'LightSlateGray',
        'alice blue',
      ],
      ...[
        'AliceBlue',
        'grey',
        'gray50',
        'grey7',
        'gray101',
        'gray-1',
        'dark slate grey',
        'DarkSlateGray3',
        'snow2',
        'snow5',
      ],
      ...[
        'rebecca purple',
        'RebeccaPurple',
        'light goldenrod yellow',
        'LightGoldenrod',
        'colour',
        'bright',
        'brightgrey',
        ' red',
      ],
    ];
    const blocks = await tmux?.batch(
      names.flatMap((name) => [
        ['set', '-gu', 'status-fg'],
        ['set', '-g', '--', 'status-fg', name],
        ['show', '-gv', 'status-fg'],
        ['display-message', '-p', '--', `<#{c:${name.replace('#', '##')}}>`],
      ]),
    );
    const ours = names.map((name) => {
      const color = parseColor(name);
      const rgb = color === undefined ? undefined : colorToRgb(color);
      const hex = rgb === undefined ? '' : rgb.toString(16).padStart(6, '0');
      return `${name}: ${color === undefined ? `bad colour: ${name}` : printColor(color)} <${hex}>`;
    });
    const theirs = names.map((name, index) => {
      const [, set, shown, hex] = blocks?.slice(index * 4) ?? [];
      return `${name}: ${set?.ok ? shown?.out : set?.out} ${hex?.out}`;
    });
    expect(ours).toEqual(theirs);
  });
});

describe('a style', () => {
  const color = fc.oneof(
    fc.integer({ min: 0, max: 15 }).map((index) => COLOR_PALETTE16 | index),
    fc.integer({ min: 0, max: 255 }).map((index) => COLOR_PALETTE256 | index),
    fc.integer({ min: 0, max: 0xffffff }).map((rgb) => COLOR_RGB | rgb),
    fc.constant(0),
    fc.constant(COLOR_TERMINAL),
  );
  const style: fc.Arbitrary<Style> = fc.record({
    fg: color,
    bg: color,
    us: color,
    fill: color,
    attributes: fc.integer({ min: 0, max: (1 << 14) - 1 }),
    align: fc.constantFrom('default', 'left', 'centre', 'right', 'absolute-centre'),
    list: fc.constantFrom('off', 'on', 'focus', 'left-marker', 'right-marker'),
    range: fc.oneof(
      fc.constantFrom({ kind: 'none' } as const, { kind: 'left' } as const, { kind: 'right' } as const),
      fc.nat(9999).map((index) => ({ kind: 'window', index }) as const),
    ),
    ignore: fc.boolean(),
    defaultAction: fc.constantFrom('base', 'push', 'pop'),
  });

  it('reads what it prints', () => {
    fc.assert(
      fc.property(style, (value) => {
        expect(parse(printStyle(value))).toEqual(value);
      }),
    );
  });

  it('is refused or read without a throw, whatever the text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parse(text)));
  });

  it('comes back from a cell, but for what a cell has no bit for', () => {
    fc.assert(
      fc.property(style, (value) => {
        const underlines = 0b1111 << 9;
        const one = value.attributes & underlines ? ATTRIBUTE.underscore | underlines : 0;
        const look = {
          fg: colorToCell(value.fg),
          bg: colorToCell(value.bg),
          us: 0,
          attributes: value.attributes & ~(ATTRIBUTE.acs | one),
        };
        expect(cellToTextStyle(textStyleToCell(look))).toEqual(look);
      }),
    );
  });

  it('means the base by default, also for a single colour', () => {
    const base = { ...DEFAULT_TEXT_STYLE, fg: COLOR_PALETTE16 | 2, attributes: ATTRIBUTE.bright };
    const from = { ...DEFAULT_STYLE_VALUE, bg: COLOR_PALETTE16 | 1 };
    expect(parseStyle('default', from, base)).toMatchObject({ ...base });
    expect(parseStyle('fg=default', from, base)).toMatchObject({ fg: base.fg, bg: from.bg, attributes: 0 });
  });

  it('keeps nothing of a text that has one wrong term', () => {
    expect(parse('bold,nonsense,fg=red')).toBeUndefined();
    expect(parse('x'.repeat(300))).toBeUndefined();
  });

  it('becomes cell bits, with an extension only for more than a plain underline', () => {
    expect(textStyleToCell(parse('bold,underscore,fg=red')!)).toEqual({
      fg: (COLOR_PALETTE16 | 1 | FG_BOLD | FG_UNDERLINE) >>> 0,
      bg: 0,
    });
    expect(textStyleToCell(parse('curly-underscore,us=#ff0000')!)).toEqual({
      fg: FG_UNDERLINE,
      bg: 0,
      extension: { underlineStyle: 3, underlineColor: COLOR_RGB | 0xff0000, link: undefined },
    });
  });

  it('is laid over a cell: colours replaced, attributes added, the link kept', () => {
    const link = { id: '1', uri: 'https://example.org' };
    const cell = { fg: FG_BOLD, bg: BG_EXTENDED, extension: { underlineStyle: 0, underlineColor: 0, link } } as const;
    const over = applyStyle(cell, parse('fg=red,bg=blue')!);
    expect(over.fg).toBe((FG_BOLD | COLOR_PALETTE16 | 1) >>> 0);
    expect(over.bg).toBe(COLOR_PALETTE16 | 4);
    expect(over.extension?.link).toBe(link);
    expect(applyStyle({ fg: COLOR_PALETTE16 | 3, bg: 0 }, DEFAULT_TEXT_STYLE)).toEqual({
      fg: COLOR_PALETTE16 | 3,
      bg: 0,
    });
  });
});
