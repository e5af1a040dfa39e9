import type { ImportedRedirect } from './import-format.js';
import { failed, type Outcome, skipped } from './outcome.js';

type StatusCode = ImportedRedirect['statusCode'];

const TAKEN: ReadonlySet<number> = new Set([301, 302, 307, 308, 410]);

/** Returns the status when Waymark answers with it. */
export function statusCodeOf(code: number): StatusCode | undefined {
  return TAKEN.has(code) ? (code as StatusCode) : undefined;
}

/** Reading of a directive with a status that no entry can have. */
export function unfitStatus(code: number | string): Outcome {
  const number = Number(code);
  if (number >= 300 && number < 400) {
    return failed(`Status ${code} is not available. Write 301, 302, 307 or 308.`, 'statusCode');
  }
  if (number >= 100 && number < 600) return skipped(`Status ${code} is no redirect.`);
  return failed(`"${code}" is no status. Write 301, 302, 307, 308 or 410.`, 'statusCode');
}
