/**
 * The caps of uiflow's specification, version 1. Lengths of text are Unicode code points. Those that hold for any
 * question, of a flow or not, are in protocol/dialog.ts and named here again under their names in the specification.
 */
import { ANSWER_MAX, LABEL_MAX, OPTIONS_MAX, TEXT_MAX, TIMEOUT_DEFAULT_S, TITLE_MAX } from '../../protocol/dialog.ts';

/** The only version of a spec that is taken. */
export const PLEXER_FLOW_VERSION = 1;
/** Screens of a spec. */
export const PLEXER_FLOW_SCREENS_MAX = 32;
/** Fields of a screen. */
export const PLEXER_FLOW_FIELDS_MAX = 12;
/** Options of a choice, and rows of one ask. */
export const PLEXER_FLOW_OPTIONS_MAX = OPTIONS_MAX;
/** Actions of a screen. */
export const PLEXER_FLOW_ACTIONS_MAX = 12;
/** Screen visits of a run, skipped screens counted; one more ends it with an error. */
export const PLEXER_FLOW_VISITS_MAX = 64;
/** Characters of an id of a screen, field or action. */
export const PLEXER_FLOW_ID_MAX = 64;
/** Characters of a title. */
export const PLEXER_FLOW_TITLE_MAX = TITLE_MAX;
/** Characters of a body, an info text and the text of one ask. */
export const PLEXER_FLOW_TEXT_MAX = TEXT_MAX;
/** Characters of a label of a field, action or option. */
export const PLEXER_FLOW_LABEL_MAX = LABEL_MAX;
/** Characters of a typed answer and of `initial`. */
export const PLEXER_FLOW_ANSWER_MAX = ANSWER_MAX;
/** The budget of a flow, seconds. */
export const PLEXER_FLOW_TIMEOUT_MIN = 5;
export const PLEXER_FLOW_TIMEOUT_DEFAULT = TIMEOUT_DEFAULT_S;
export const PLEXER_FLOW_TIMEOUT_MAX = 600;
/** How often a backend looks where it cannot be told, seconds. */
export const PLEXER_FLOW_POLL = 0.25;
