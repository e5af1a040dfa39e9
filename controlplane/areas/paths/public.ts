/** Everything that other areas and the composition root may import from this area. */

export { pathTable } from './path-file.js';
export type { MergedEntry, MergePaths } from './path-import.js';
export { createPaths } from './paths.js';
