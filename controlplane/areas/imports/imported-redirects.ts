import type { PathEnding, PathOptions } from '../../../shared/paths/path-entry.js';
import { withoutTrailingSlash } from '../../../shared/paths/path-key.js';
import { servesHost } from '../../../shared/paths/publish-table.js';
import { AppError } from '../../errors/app-error.js';
import type { ImportedRedirect } from './formats/import-format.js';

/** Operation of a row, or the reason why the row is not applied. */
export type Taken =
  | { readonly status: 'read'; readonly value: unknown; readonly remark?: string }
  | { readonly status: 'skipped' | 'failed'; readonly message: string; readonly field?: string };

const USE_PATHS = 'Import it with kind=paths and the redirectId of the redirect for its host.';

/**
 * Returns the operation that creates a redirect for a whole host.
 *
 * @throws {AppError} VALIDATION_ERROR for settings that only an entry of a table of paths can have
 */
export function operationOf(redirect: ImportedRedirect): Taken {
  const { host, query, statusCode, queryForwarding, note } = redirect;
  if (host === null) throw refused('fromDomain', `The row names no host. ${USE_PATHS}`);
  if (query !== null) throw refused('query', `The row is for some queries only. ${USE_PATHS}`);
  if (statusCode === 410) throw refused('statusCode', `The row answers 410. ${USE_PATHS}`);
  const { toDomain, pathForwarding } = wholeHost(redirect);
  const remark =
    redirect.pathEnding === 'below'
      ? 'The original does not redirect the path "/". This redirect does.'
      : undefined;
  const value = {
    op: 'create',
    fromDomain: host,
    toDomain,
    statusCode,
    ...(pathForwarding !== null && { pathForwarding }),
    ...(queryForwarding !== null && { queryForwarding }),
    ...(note !== '' && { note }),
  };
  return { status: 'read', value, ...(remark !== undefined && { remark }) };
}

/** Converts `/*` to the whole host, and a `*` at the end of the destination to path forwarding. */
function wholeHost({ path, destination, pathForwarding }: ImportedRedirect) {
  if (path !== null && path !== '/*') {
    throw refused('fromDomain', `The row is for the path ${path} only. ${USE_PATHS}`);
  }
  if (destination === null || !/^https?:/i.test(destination)) {
    throw refused('toDomain', `The destination must be an absolute http or https URL. ${USE_PATHS}`);
  }
  if (path === null) return { toDomain: destination, pathForwarding };
  if (destination.endsWith('/*')) return { toDomain: destination.slice(0, -2), pathForwarding: true };
  if (destination.includes('*'))
    throw refused('toDomain', `The path stands inside the destination. ${USE_PATHS}`);
  return { toDomain: destination, pathForwarding: false };
}

/**
 * Returns the entries of a table of paths: two for a path with and without a slash at its end, if the table compares
 * the slash. Rows for other hosts are skipped.
 *
 * @param host domain of the redirect
 * @param options of the table
 * @throws {AppError} VALIDATION_ERROR for a path without case in a table that compares case
 */
export function entriesOf(
  redirect: ImportedRedirect,
  host: string,
  options: Pick<PathOptions, 'ignoreCase' | 'ignoreTrailingSlash'>,
): Taken[] {
  const { path, pathEnding } = redirect;
  if (pathEnding !== 'either') return [entryOf({ ...redirect, pathEnding }, host, options)];
  const needsBoth = !options.ignoreTrailingSlash && path !== null && !path.endsWith('/*');
  if (!needsBoth) return [entryOf({ ...redirect, pathEnding: 'inherit' }, host, options)];
  const bare = withoutTrailingSlash(path);
  return [bare, `${bare}/`].map((one) =>
    entryOf({ ...redirect, path: one, pathEnding: 'exact' }, host, options),
  );
}

function entryOf(
  redirect: ImportedRedirect & { readonly pathEnding: PathEnding },
  host: string,
  { ignoreCase }: Pick<PathOptions, 'ignoreCase'>,
): Taken {
  if (redirect.host !== null && !servesHost(host, redirect.host) && redirect.host !== host) {
    return {
      status: 'skipped',
      message: `The row is for ${redirect.host}, and this redirect is for ${host}.`,
    };
  }
  if (redirect.ignoresCase && !ignoreCase) {
    throw refused(
      'source',
      'The row ignores case, which one entry cannot do. Set ignoreCase in the options of the table, and import the file again.',
    );
  }
  const { path, query, statusCode, queryForwarding, pathEnding, note } = redirect;
  const value = {
    source: path ?? '/*',
    destination: path === null ? destinationOfHost(redirect) : redirect.destination,
    statusCode,
    ...(query !== null && { query }),
    ...(queryForwarding !== null && { queryForwarding }),
    ...(pathEnding !== 'inherit' && { pathEnding }),
    ...(note !== '' && { note }),
  };
  return { status: 'read', value };
}

function destinationOfHost({ destination, pathForwarding }: ImportedRedirect): string | null {
  if (destination === null || pathForwarding !== true) return destination;
  return destination.endsWith('/') ? `${destination}*` : `${destination}/*`;
}

function refused(field: string, message: string): AppError {
  return new AppError('VALIDATION_ERROR', { field, message });
}
