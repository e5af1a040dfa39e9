import type { DestinationPart } from '../destination.js';
import type { Refusal } from '../outcome.js';

export interface CaddyDestination {
  readonly parts: readonly DestinationPart[];
  readonly isSameHost: boolean;
  readonly forwardsQuery: boolean;
}

const SAME_HOST =
  /^(?:https?|\{scheme\}|\{http\.request\.scheme\}):\/\/\{(?:http\.request\.)?(?:host|hostport)\}(?=\/|\{|$)/;
const WHOLE_QUERY =
  /(?:[?&]\{(?:query|http\.request\.uri\.query)\}|\{(?:\?query|http\.request\.uri\.prefixed_query)\})$/;
const WHOLE_URI = /\{(?:uri|http\.request\.uri)\}$/;
const TOKEN = /\{([^{}]*)\}|[^{]+|\{/g;

/** Cuts a destination at its placeholders, or returns why it cannot be kept. */
export function readCaddyDestination(
  text: string,
  { host, scheme }: { host: string | null; scheme: 'http' | 'https' | undefined },
): CaddyDestination | Refusal {
  const isSameHost = SAME_HOST.test(text);
  let rest = isSameHost ? text.replace(SAME_HOST, '') || '/' : text;
  const forwardsQuery = WHOLE_QUERY.test(rest) || WHOLE_URI.test(rest);
  rest = rest.replace(WHOLE_QUERY, '').replace(WHOLE_URI, '{path}');
  const parts: DestinationPart[] = [];
  for (const [found, name] of rest.matchAll(TOKEN)) {
    const part = name === undefined ? { text: found } : placeholder(name, host, scheme);
    if ('refusal' in part) return part;
    parts.push(part);
  }
  return { parts, isSameHost, forwardsQuery };
}

function placeholder(
  name: string,
  host: string | null,
  scheme: 'http' | 'https' | undefined,
): DestinationPart | Refusal {
  const short = name
    .replace(/^http\.request\.uri\.prefixed_query$/, 'query')
    .replace(/^http\.request\.uri\./, '')
    .replace(/^http\.request\./, '')
    .replace(/^http\.regexp\./, 're.');
  if (short === 'path') return { path: true };
  if (short.startsWith('re.')) return { capture: short.slice('re.'.length) };
  if (short.startsWith('query.')) return { parameter: short.slice('query.'.length) };
  if ((short === 'host' || short === 'hostport') && host !== null && !host.startsWith('*'))
    return { text: host };
  if (short === 'scheme' && scheme !== undefined) return { text: scheme };
  return {
    refusal:
      short === 'uri' || short === 'query'
        ? `{${name}} holds the query and must stand at the end. Write {path} for the path.`
        : `{${name}} is not available in destinations. Write its value.`,
    field: 'destination',
  };
}
