import { literalDestination } from '../destination.js';
import { isAbsoluteUrl, readAddress } from '../host.js';
import type { ImportFormat } from '../import-format.js';
import { type Outcome, redirectStatusOf, refusal, taken } from '../outcome.js';
import { literalSource } from '../regex/regex-paths.js';
import { type Cells, cellOf, tableFormat } from './table-format.js';

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
  read: readRecord,
});

function readRecord(cells: Cells): Outcome[] {
  const address = readAddress(cells.sourceurl ?? '');
  if (
    address === undefined ||
    address.hasPort ||
    address.query !== undefined ||
    address.host.startsWith('*.')
  ) {
    throw refusal('The source must be a host and a path, without port, query and wildcard.', 'path');
  }
  const target = cells.targeturl ?? '';
  if (!isAbsoluteUrl(target)) {
    throw refusal('The target must be an absolute http or https URL.', 'destination');
  }
  const statusCode = redirectStatusOf(cellOf(cells, ['statuscode']) || DEFAULT_STATUS);
  const switches = COLUMNS.slice(3).map((column) => switchOf(cells[column] ?? ''));
  if (switches.includes(undefined)) throw refusal('Options must be TRUE, FALSE or empty.');
  const [preservesQuery = false, hasSubdomains, hasSubpaths, preservesPath] = switches;
  const path = literalSource(address.path);
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
  // The folder itself redirects to the target. No slash is added to the target.
  return target.endsWith('/') || path === '/' ? [below] : [{ path, destination: target }, below];
}
