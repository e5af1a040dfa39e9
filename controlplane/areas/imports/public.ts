/** Everything that other areas and the composition root may import from this area. */
export { createImports } from './imports.js';
