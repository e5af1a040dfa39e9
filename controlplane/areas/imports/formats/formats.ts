import type { ImportFormat } from './import-format.js';

/** Formats by name, except those of the API itself. */
export const FORMATS: ReadonlyMap<string, ImportFormat> = new Map();
