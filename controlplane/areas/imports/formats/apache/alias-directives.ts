import { type DestinationPart, fillDestination, literalDestination } from '../destination.js';
import type { ImportedRedirect } from '../import-format.js';
import { forEach, type Outcome, readings, refusal, statusCodeOf, taken, withRemark } from '../outcome.js';
import { literalSource, regexPaths } from '../regex/regex-paths.js';

const WORDS: Readonly<Record<string, number>> = { permanent: 301, temp: 302, seeother: 303, gone: 410 };
const DEFAULT_STATUS = 302;
const FIXED: Readonly<Record<string, number>> = { redirectpermanent: 301, redirecttemp: 302 };

export const BEHIND_FRAGMENT =
  'Apache appends the query of the request behind the fragment, where browsers do not send it. Waymark puts it before.';

/** Reads `Redirect`, `RedirectPermanent`, `RedirectTemp` and `RedirectMatch` of mod_alias for each of the hosts. */
export function readAlias(words: readonly string[], hosts: readonly (string | null)[]): Outcome[] {
  const [directive = '', ...args] = words;
  const name = directive.toLowerCase();
  const fixed = FIXED[name];
  const status = fixed ?? statusOf(args[0] ?? '');
  const [source = '', destination = '', ...more] =
    fixed === undefined && status !== undefined ? args.slice(1) : args;
  if (more.length > 0) throw refusal('The directive has too many arguments. Put quotes around spaces.');
  const statusCode = statusCodeOf(status ?? DEFAULT_STATUS);
  if (statusCode === 410 ? destination !== '' : destination === '') {
    throw refusal(
      statusCode === 410
        ? 'A redirect with status 410 has no destination. Remove it.'
        : 'The redirect has no destination. Write a path that starts with "/", or a URL, after the source.',
      'destination',
    );
  }
  const read = name === 'redirectmatch' ? readMatch : readPrefix;
  return hosts.flatMap((host) => readings(() => read({ host, statusCode, source, destination })));
}

function statusOf(word: string): number | undefined {
  if (/^[1-5]\d\d$/.test(word)) return Number(word);
  return Object.hasOwn(WORDS, word.toLowerCase()) ? WORDS[word.toLowerCase()] : undefined;
}

interface Alias extends Pick<ImportedRedirect, 'host' | 'statusCode'> {
  readonly source: string;
  readonly destination: string;
}

/**
 * Apache appends the rest of the path. The path itself needs a separate entry, because `/a/*` redirects to the folder
 * `/b/`.
 */
function readPrefix({ host, statusCode, source, destination }: Alias): Outcome[] {
  if (!source.startsWith('/')) throw refusal('The path must start with "/".', 'path');
  const path = literalSource(source, {});
  const target = literalDestination(destination);
  const queryForwarding = !destination.includes('?');
  const common = { host, statusCode, queryForwarding, pathEnding: 'exact' } as const;
  if (path.endsWith('/')) return [taken({ ...common, path: `${path}*`, destination: `${target}*` })];
  if (destination.includes('#')) {
    throw refusal(
      'Apache appends the rest of the path to the fragment. Use RedirectMatch and "^/old$".',
      'destination',
    );
  }
  return [
    taken({ ...common, path, destination: target }),
    taken({ ...common, path: `${path}/*`, destination: `${target}/*` }),
  ];
}

function readMatch({ host, statusCode, source, destination: text }: Alias): Outcome[] {
  const parts = groupParts(text);
  return forEach([host], regexPaths(source), (_, one) => {
    const destination = fillDestination(parts, one);
    const { path, ending: pathEnding } = one;
    const queryForwarding = !text.includes('?');
    const outcome = taken({ host, path, pathEnding, statusCode, destination, queryForwarding });
    const isBehindFragment = statusCode !== 410 && queryForwarding && destination.includes('#');
    return isBehindFragment ? withRemark(outcome, BEHIND_FRAGMENT) : outcome;
  });
}

/** Cuts a destination of `RedirectMatch` at `$1` and the like. A backslash escapes the next character. */
function groupParts(destination: string): readonly DestinationPart[] {
  const parts = destination.matchAll(/\\([$&])|\$([0-9])|[^\\$]+|[\\$]/g);
  return Array.from(parts, ([found, escaped, group]) =>
    group === undefined ? { text: escaped ?? found } : { capture: group },
  );
}
