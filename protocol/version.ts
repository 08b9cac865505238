/** The program's version; the build replaces it with package.json's. */
declare const MPLEX_VERSION: string | undefined;

export const VERSION: string = typeof MPLEX_VERSION === 'string' ? MPLEX_VERSION : '0.0.0-source';
