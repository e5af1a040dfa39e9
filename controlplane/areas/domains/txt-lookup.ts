import { Resolver } from 'node:dns/promises';
import { codeOf } from '../../../shared/process/error-facts.js';

/** Outcomes of a lookup without a definite answer about the name. */
export type LookupFailure = 'serverFailure' | 'refused' | 'malformedAnswer' | 'unreachable' | 'timedOut';

export type TxtLookup =
  /** The name exists; `values` is empty when it has no TXT record. */
  | { readonly kind: 'answered'; readonly values: readonly string[] }
  | { readonly kind: 'noSuchName' }
  | { readonly kind: LookupFailure };

export interface TxtLookupOptions {
  /** `IP:port` of resolvers to ask instead of the system's. */
  readonly dnsServers?: readonly string[];
  /** Wait for the first answer of one server; it doubles with each round through the servers. */
  readonly timeoutMs: number;
  /** Rounds through all servers. */
  readonly tries: number;
}

export interface TxtLookupHandle {
  /** Never rejects. */
  readonly outcome: Promise<TxtLookup>;
  /** Ends the lookup immediately, with the outcome `timedOut`. */
  cancel(): void;
}

/** Meaning of the error codes of node:dns. Any other code means that no server was reachable. */
const KIND_BY_CODE: Readonly<Record<string, Exclude<TxtLookup['kind'], 'answered'> | 'noData'>> = {
  ENODATA: 'noData',
  ENOTFOUND: 'noSuchName',
  ESERVFAIL: 'serverFailure',
  EREFUSED: 'refused',
  ENOTIMP: 'refused',
  EFORMERR: 'refused',
  EBADRESP: 'malformedAnswer',
  ETIMEOUT: 'timedOut',
  ECANCELLED: 'timedOut',
};

/** Failures that another server may not have. node:dns itself tries another one only after silence. */
const FAILURES_OF_ONE_SERVER: readonly TxtLookup['kind'][] = ['serverFailure', 'refused', 'malformedAnswer'];

/**
 * Looks up the TXT records of one name. Resolvers of node:dns cache answers, so each lookup has its own.
 *
 * @param name absolute name without trailing dot; search domains are never tried
 */
export function lookUpTxt(name: string, options: TxtLookupOptions): TxtLookupHandle {
  let resolver: Resolver | undefined;
  let isCancelled = false;

  async function ask(servers: readonly string[] | undefined): Promise<TxtLookup> {
    if (isCancelled) return { kind: 'timedOut' };
    resolver = new Resolver({ timeout: options.timeoutMs, tries: options.tries });
    return askOnce(resolver, name, servers);
  }

  async function run(): Promise<TxtLookup> {
    const firstOutcome = await ask(options.dnsServers);
    if (!FAILURES_OF_ONE_SERVER.includes(firstOutcome.kind)) return firstOutcome;
    const servers = options.dnsServers ?? new Resolver().getServers();
    for (let first = 1; first < servers.length; first += 1) {
      const outcome = await ask([...servers.slice(first), ...servers.slice(0, first)]);
      if (outcome.kind === 'answered' || outcome.kind === 'noSuchName') return outcome;
    }
    return firstOutcome;
  }

  return {
    outcome: run(),
    cancel() {
      isCancelled = true;
      resolver?.cancel();
    },
  };
}

async function askOnce(
  resolver: Resolver,
  name: string,
  servers: readonly string[] | undefined,
): Promise<TxtLookup> {
  try {
    if (servers !== undefined) resolver.setServers(servers);
    const records = await resolver.resolveTxt(name);
    return { kind: 'answered', values: records.map(textOf) };
  } catch (error) {
    const kind = KIND_BY_CODE[codeOf(error) ?? ''] ?? 'unreachable';
    return kind === 'noData' ? { kind: 'answered', values: [] } : { kind };
  }
}

/** One record's strings are one text (RFC 7208 section 3.3). node:dns gives each byte as one character. */
function textOf(strings: readonly string[]): string {
  return Buffer.from(strings.join(''), 'latin1').toString('utf8');
}
