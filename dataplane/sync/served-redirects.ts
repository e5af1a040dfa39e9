import { LRUCache } from 'lru-cache';
import type { CompiledRedirect } from '../../shared/ruleset/compiled-redirect.js';
import type { RedirectTally, RuleTally } from '../hits/hit-recorder.js';

/** A redirect ready to answer, with the tallies it is counted on. */
export interface ServedRedirect {
  readonly redirect: CompiledRedirect;
  readonly tally: RedirectTally;
  /** By `RuleOutcome.index`; empty without rules. */
  readonly ruleTallies: readonly RuleTally[];
}

/** What redirects take compiled, beside a byte for each character of their line: measured of none to a hundred rules. */
const BYTES_PER_REDIRECT = 650;
const BYTES_PER_RULE = 700;
/** Of hosts asked for once lately, 1 MiB of them: more than there is room for compiled. */
const REMEMBERED = 2 ** 18;

/** The compiled redirects that are asked for most, within bounded memory. */
export interface ServedRedirects {
  get(host: string): ServedRedirect | undefined;
  /**
   * Keeps the redirect, in place of those not asked for longest, if it has been asked for before, lately. A walk
   * through all hosts, as crawlers do, displaces nothing then and leaves nothing old behind for the garbage
   * collector. This holds while there is room as well: V8 takes note of what survives, and would make redirects in
   * its old space for good.
   *
   * @param lineLength of its line in the cold form, in characters
   */
  offer(served: ServedRedirect, hash: number, lineLength: number): void;
  remove(host: string): void;
  clear(): void;
}

/** @param maxBytes by estimate; one redirect alone may take more */
export function createServedRedirects(maxBytes: number): ServedRedirects {
  const kept = new LRUCache<string, ServedRedirect>({ maxSize: maxBytes });
  /** The hash of a host at a place that the hash itself names, as the doorkeeper of TinyLFU (Einziger et al., 2017). */
  const asked = new Uint32Array(REMEMBERED);

  function wasAsked(hash: number): boolean {
    const place = hash % REMEMBERED;
    if (asked[place] === hash) return true;
    asked[place] = hash;
    return false;
  }

  return {
    get: (host) => kept.get(host),
    offer(served, hash, lineLength) {
      if (!wasAsked(hash)) return;
      const size = Math.min(maxBytes, sizeBytesOf(served, lineLength));
      kept.set(served.redirect.host, served, { size });
    },
    remove: (host) => void kept.delete(host),
    clear: () => kept.clear(),
  };
}

function sizeBytesOf({ ruleTallies }: ServedRedirect, lineLength: number): number {
  return BYTES_PER_REDIRECT + BYTES_PER_RULE * ruleTallies.length + lineLength;
}
