import { LRUCache } from 'lru-cache';
import type { CompiledRedirect } from '../../shared/ruleset/compiled-redirect.js';
import type { RedirectTally, RuleTally } from '../hits/hit-recorder.js';
import type { TablePages } from './cold/table-pages.js';

/** A redirect ready to answer, with its tallies. */
export interface ServedRedirect {
  readonly redirect: CompiledRedirect;
  readonly tally: RedirectTally;
  /** Tallies of the outcomes counted so far, by `RuleOutcome.index`. Empty without rules. */
  readonly ruleTallies: (RuleTally | undefined)[];
  /**
   * The generation of hosts (`RulesetTable.hostGeneration`) in which a route last led to a host that is not served
   * here, by `RuleOutcome.index` + 1, with 0 for no outcome. Empty for an exact host without rules, which never looks ahead.
   */
  readonly leadsElsewhere: number[];
  /** Pages of its table of paths; undefined if there is none. */
  readonly pages: TablePages | undefined;
}

/**
 * Estimated memory of a compiled redirect in addition to the bytes of its line. Measured with none to a hundred rules:
 * almost twice the memory of ten usual rules, about that of ten cookie tests with ten variants, and two thirds of that
 * of ten lists of fifty values.
 */
const BYTES_PER_REDIRECT = 650;
const BYTES_PER_MATCHER = 800;
const BYTES_PER_OUTCOME = 500;
/**
 * Number of remembered hosts that were requested once lately, somewhat more than fit into the cache: 1 MiB. Hosts share
 * places in groups, and any place of a group can be reused. With one place per host, hosts that are requested
 * alternately would always displace each other: a quarter of 10,000 hosts did with 32,768 places.
 */
const REMEMBERED = 2 ** 18;
const GROUP = 8;
/**
 * Share of visits that update the order of eviction. Each update touches five distant places of memory. Frequently
 * requested redirects are still recognised.
 */
const NOTED_VISITS = 1 / 8;

/** The compiled redirects that are requested most, within bounded memory. */
export interface ServedRedirects {
  get(host: string): ServedRedirect | undefined;
  /**
   * Keeps the redirect if its host was requested before, lately. It replaces those that were not requested for longest.
   * A walk through all hosts, as crawlers do, then displaces nothing and leaves no old objects to the garbage
   * collector. This also applies while there is room: V8 observes which objects survive, and would then always allocate
   * redirects in its old space.
   *
   * @param lineBytes size of its line in the cold form
   */
  offer(served: ServedRedirect, hash: number, lineBytes: number): void;
  remove(host: string): void;
  clear(): void;
}

/** @param maxBytes by estimate; a single redirect may take more */
export function createServedRedirects(maxBytes: number): ServedRedirects {
  /** Content of the LRU, for lookups that keep its order. */
  const found = new Map<string, ServedRedirect>();
  const kept = new LRUCache<string, ServedRedirect>({
    maxSize: maxBytes,
    onInsert: (served, host) => void found.set(host, served),
    dispose: (_, host, reason) => {
      if (reason !== 'set') found.delete(host);
    },
  });
  /** Hashes of hosts, in groups by hash: the doorkeeper of TinyLFU (Einziger et al., 2017). */
  const asked = new Uint32Array(REMEMBERED);
  let displaced = 0;

  function wasAsked(hash: number): boolean {
    const first = GROUP * (hash % (REMEMBERED / GROUP));
    for (let place = first; place < first + GROUP; place += 1) {
      if (asked[place] === hash) return true;
    }
    // Not the oldest one: of nine that take turns, that would always be the next.
    displaced = (displaced + 1) % GROUP;
    asked[first + displaced] = hash;
    return false;
  }

  return {
    get(host) {
      const served = found.get(host);
      if (served !== undefined && Math.random() < NOTED_VISITS) kept.get(host);
      return served;
    },
    offer(served, hash, lineBytes) {
      if (!wasAsked(hash)) return;
      const size = Math.min(maxBytes, sizeBytesOf(served, lineBytes));
      kept.set(served.redirect.host, served, { size });
    },
    remove: (host) => void kept.delete(host),
    clear() {
      found.clear();
      kept.clear();
    },
  };
}

function sizeBytesOf({ ruleTallies }: ServedRedirect, lineBytes: number): number {
  const outcomes = ruleTallies.length;
  const matcherBytes = outcomes === 0 ? 0 : BYTES_PER_MATCHER + BYTES_PER_OUTCOME * outcomes;
  return BYTES_PER_REDIRECT + matcherBytes + lineBytes;
}
