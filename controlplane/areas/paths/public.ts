/** Exports of this area for other areas and the composition root. */

export { pathTable } from './path-file.js';
export { entryState } from './path-history.js';
export type { MergedEntry, MergePaths } from './path-import.js';
export { pathRepository } from './path-repository.js';
export {
  type NewTable,
  NewTableSchema,
  TableReplacedSchema,
  type TestedPath,
  TestedPathsSchema,
  TestPathsSchema,
} from './path-schema.js';
export type { GivenTable } from './path-table.js';
export type { PathTest } from './path-test.js';
export { createPaths, type Paths } from './paths.js';
export { TABLE_LIMIT_BYTES, tableOf, URLS_LIMIT_BYTES } from './route-parts.js';
export {
  buildTable,
  type ReadTable,
  readEntrySource,
  readLiveTable,
  readTableFor,
  tableOfChecked,
} from './table-reading.js';
export {
  type CheckedWholeTable,
  checkWholeTable,
  type FormerTable,
  replaceWholeTable,
} from './whole-tables.js';
