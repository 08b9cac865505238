/** What a connection on the control socket may do, each level with those before it: nothing, ask the person, look at everything, all. */
export const ACCESS = ['none', 'dialogs', 'read', 'full'] as const;
export type Access = (typeof ACCESS)[number];
