import { printHexColor } from '../../protocol/color-spec.ts';

/** The colours that a program set for its pane (OSC 4, 10, 11 and 12), 0xRRGGBB; undefined where it set none. */
export class ProgramColors {
  foreground: number | undefined;
  background: number | undefined;
  cursor: number | undefined;
  /** By the number of the colour, 0 to 255. */
  readonly palette = new Map<number, number>();

  /** The cursor's as `#rrggbb`. */
  get cursorName(): string | undefined {
    return this.cursor === undefined ? undefined : printHexColor(this.cursor);
  }

  /** Whether cells look other than they say: the cursor's colour is no matter of theirs. */
  get changesCells(): boolean {
    return this.foreground !== undefined || this.background !== undefined || this.palette.size > 0;
  }

  reset(): void {
    this.foreground = undefined;
    this.background = undefined;
    this.cursor = undefined;
    this.palette.clear();
  }
}
