/** What must agree after each step: every object with the variables that do not differ by nature (pids, ttys, times). */
const SESSION = [
  'session_alerts session_attached session_group session_group_attached session_group_list session_group_many_attached',
  'session_group_size session_grouped session_id session_many_attached session_marked session_name session_path',
  'session_stack session_windows',
];
const WINDOW = [
  'session_name window_index window_id window_name window_active window_active_clients window_active_sessions',
  'window_bell_flag window_bigger window_cell_height window_cell_width window_end_flag window_flags window_format',
  'window_height window_last_flag window_layout window_linked window_linked_sessions window_linked_sessions_list',
  'window_marked_flag window_panes window_raw_flags window_silence_flag window_stack_index window_start_flag',
  'window_visible_layout window_width window_zoomed_flag window_activity_flag',
];
const PANE = [
  'session_name window_index pane_index pane_id alternate_on cursor_flag cursor_x cursor_y history_limit history_size insert_flag',
  'keypad_cursor_flag keypad_flag mouse_all_flag mouse_any_flag mouse_button_flag mouse_standard_flag origin_flag',
  'pane_active pane_at_bottom pane_at_left pane_at_right pane_at_top pane_bottom pane_dead pane_dead_signal',
  'pane_dead_status pane_format pane_height pane_in_mode pane_input_off pane_last pane_left pane_marked',
  'pane_marked_set pane_mode pane_path pane_pipe pane_right pane_search_string pane_start_command pane_start_path',
  'pane_synchronized pane_tabs pane_title pane_top pane_width scroll_region_lower scroll_region_upper wrap_flag',
  'scroll_position selection_present copy_cursor_x copy_cursor_y rectangle_toggle search_present',
];
const BUFFER = ['buffer_name buffer_size buffer_sample'];

function format(lines: readonly string[]): string {
  return lines
    .flatMap((line) => line.split(' '))
    .map((name) => `${name}=#{${name}}`)
    .join(' ');
}

/** One call that lists everything. */
export const STATE_CALL: readonly string[] = [
  ...['list-sessions', '-F', `S ${format(SESSION)}`, ';'],
  ...['list-windows', '-a', '-F', `W ${format(WINDOW)}`, ';'],
  ...['list-panes', '-a', '-F', `P ${format(PANE)}`, ';'],
  ...['list-buffers', '-F', `B ${format(BUFFER)}`],
];

/** Compared at the end of a section. */
export const FINAL_CALLS: readonly (readonly string[])[] = [
  ['show-options', '-s'],
  ['show-options', '-g'],
  ['show-options', '-gw'],
  ['show-environment', '-t', 'one'],
];

/** The `name=value` parts of two listings that differ, an object a line. */
export function stateDifferences(wanted: string, got: string): string[] {
  const left = wanted.split('\n');
  const right = got.split('\n');
  if (left.length !== right.length) {
    const brief = (lines: readonly string[]) => lines.map((line) => line.slice(0, 90)).join('\n    ');
    return [`tmux has ${left.length} objects:\n    ${brief(left)}\n  mplex ${right.length}:\n    ${brief(right)}`];
  }
  return left.flatMap((line, index) => {
    const other = right[index] ?? '';
    if (line === other) return [];
    const parts = (text: string) => text.split(/ (?=[a-z_]+=)/);
    const theirs = parts(other);
    const changed = parts(line).flatMap((part, at) => (part === theirs[at] ? [] : [`${part} but ${theirs[at]}`]));
    const name = parts(line).slice(1, 4).join(' ');
    return changed.map((change) => `${line.slice(0, 2)}${name}: ${change}`);
  });
}
