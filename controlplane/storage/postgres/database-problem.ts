import { connectionProblem } from '../../../shared/process/connection-problem.js';
import { codeOf, messageOf } from '../../../shared/process/error-facts.js';
import { DatabaseUnavailableError } from './database-unavailable.js';

/** Problem and fix for each error, keyed by PostgreSQL's error code (appendix A of its manual). */
const PROBLEMS: readonly { readonly codes: RegExp; readonly problem: string; readonly fix: string }[] = [
  {
    codes: /^28P01$/,
    problem: 'has a password that PostgreSQL refuses',
    fix: 'correct the user name or password',
  },
  {
    codes: /^28...$/,
    problem: 'names a user whom PostgreSQL does not let in',
    fix: 'create the user, or let it in by pg_hba.conf',
  },
  {
    codes: /^3D000$/,
    problem: 'names a database that does not exist',
    fix: 'create it with createdb, or correct the name',
  },
  {
    codes: /^(42501|25006)$/,
    problem: 'names a user who cannot make tables there',
    fix: 'let the user own the database, on a server that can be written to',
  },
];

/**
 * Returns what an operator must change so that the database can be opened: variable, problem, fix, on one line.
 * Undefined for an error that no operator can mend.
 */
export function databaseProblem(error: unknown): string | undefined {
  const cause = error instanceof DatabaseUnavailableError ? error.cause : error;
  const code = codeOf(cause) ?? '';
  const known = PROBLEMS.find(({ codes }) => codes.test(code));
  if (known !== undefined) {
    return `DATABASE_URL ${known.problem} (${messageOf(cause)}): ${known.fix}`;
  }
  if (!(error instanceof DatabaseUnavailableError)) return undefined;
  return `DATABASE_URL names a server that cannot be reached: ${connectionProblem(cause)}`;
}
