/** Exports of this area for other areas and the composition root. */
export { createImports } from './imports.js';
