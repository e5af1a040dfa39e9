import { literalDestination } from '../destination.js';
import { isAbsoluteUrl, readAddress } from '../host.js';
import type { ImportFormat } from '../import-format.js';
import { failed, isRefusal, type Outcome, refused, taken } from '../outcome.js';
import { statusCodeOf, unfitStatus } from '../redirect-status.js';
import { literalSource } from '../regex/regex-paths.js';
import { type Cells, tableFormat } from './table-format.js';

/** Columns of Cloudflare's CSV, which has no header. The last five are optional. */
const COLUMNS = [
  'sourceurl',
  'targeturl',
  'statuscode',
  'preservequerystring',
  'includesubdomains',
  'subpathmatching',
  'preservepathsuffix',
];
const DEFAULT_STATUS = '301';

/** CSV of Cloudflare's Bulk Redirects. */
export const cloudflare: ImportFormat = tableFormat('cloudflare', {
  positions: COLUMNS,
  expected: COLUMNS.join(', '),
  isHeader: ([first]) => first === 'sourceurl' || first === 'source',
  createReader: () => readRecord,
});

function readRecord(cells: Cells): Outcome[] {
  const address = readAddress(cells.sourceurl ?? '');
  if (
    address === undefined ||
    address.hasPort ||
    address.query !== undefined ||
    address.host.startsWith('*.')
  ) {
    return [failed('The source must be a host and a path, without port, query and wildcard.', 'path')];
  }
  const target = cells.targeturl ?? '';
  if (!isAbsoluteUrl(target))
    return [failed('The target must be an absolute http or https URL.', 'destination')];
  const code = cells.statuscode === '' ? DEFAULT_STATUS : (cells.statuscode ?? DEFAULT_STATUS);
  const statusCode = statusCodeOf(Number(code));
  if (statusCode === undefined || statusCode === 410) return [unfitStatus(code)];
  const switches = COLUMNS.slice(3).map((column) => switchOf(cells[column] ?? ''));
  if (switches.includes(undefined)) return [failed('Options must be TRUE, FALSE or empty.')];
  const [preservesQuery = false, hasSubdomains, hasSubpaths, preservesPath] = switches;
  const path = literalSource(address.path);
  if (isRefusal(path)) return [refused(path)];
  const hosts = hasSubdomains === true ? [address.host, `*.${address.host}`] : [address.host];
  const entries = entriesOf(path, literalDestination(target), hasSubpaths === true, preservesPath === true);
  return hosts.flatMap((host) =>
    entries.map((entry) => taken({ ...entry, host, statusCode, queryForwarding: preservesQuery })),
  );
}

function switchOf(text: string): boolean | undefined {
  if (text === '') return false;
  return /^true$/i.test(text) ? true : /^false$/i.test(text) ? false : undefined;
}

interface Entry {
  readonly path: string;
  readonly destination: string;
}

/** Subpaths are appended to the target with one slash between them. */
function entriesOf(path: string, target: string, hasSubpaths: boolean, preservesPath: boolean): Entry[] {
  if (!hasSubpaths) return [{ path, destination: target }];
  const folder = path.endsWith('/') ? path : `${path}/`;
  if (!preservesPath) return [{ path: `${folder}*`, destination: target }];
  const below = { path: `${folder}*`, destination: target.endsWith('/') ? `${target}*` : `${target}/*` };
  // The folder itself leads to the target, without a slash that the target does not have.
  return target.endsWith('/') || path === '/' ? [below] : [{ path, destination: target }, below];
}
