import { setImmediate as nextTurn } from 'node:timers/promises';
import { changesIn, openChunk, type RefusedRedirect } from '../../shared/ruleset/ruleset-chunk.js';
import { type SnapshotManifest, sha256Of } from '../../shared/ruleset/ruleset-codec.js';
import type { RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import { ColdRedirects } from './cold/cold-redirects.js';

/** Redirects applied per turn. They take about 3 ms, and visitors are answered in between. */
const LINES_PER_TURN = 250;
const MOST_REFUSALS_TOLD = 20;

/**
 * Takes in a ruleset chunk by chunk, also before its manifest is there. Only the redirects are kept, in their compact
 * form.
 */
export interface RulesetIntake {
  /** SHA-256 of the chunks taken in, hexadecimal. */
  readonly chunks: readonly string[];
  /**
   * Applies the next chunk. One call at a time. After an error the chunk can be given again.
   *
   * @param sha256 of the chunk in the manifest; absent while there is no manifest
   * @throws when the chunk differs from it, or is damaged
   */
  take(bytes: Buffer, sha256?: string): Promise<void>;
  /** @throws when the chunks taken in are not exactly those of the manifest */
  end(manifest: SnapshotManifest): RulesetSnapshot<ColdRedirects>;
}

/** @param onRefused called for redirects that are left out, with host and field */
export function createRulesetIntake(
  isCompressed: boolean,
  onRefused: (problem: string) => void,
): RulesetIntake {
  const redirects = new ColdRedirects();
  const chunks: string[] = [];
  let lines = 0;
  let refused = 0;

  /** An earlier chunk may contain the host's former state. */
  function refuse({ host, refusal }: RefusedRedirect): void {
    if (host !== undefined) redirects.apply([{ host, redirect: null }]);
    refused += 1;
    if (refused <= MOST_REFUSALS_TOLD) onRefused(refusal);
  }

  async function apply(opened: Buffer): Promise<number> {
    let taken = 0;
    for (const change of changesIn(opened)) {
      taken += 1;
      if (taken % LINES_PER_TURN === 0) await nextTurn();
      if ('refusal' in change) refuse(change);
      else redirects.apply([change]);
    }
    return taken;
  }

  return {
    chunks,
    async take(bytes, sha256 = sha256Of(bytes)) {
      const opened = await openChunk(bytes, sha256, isCompressed);
      lines += await apply(opened);
      chunks.push(sha256);
    },
    end(manifest) {
      if (chunks.length !== manifest.chunks.length) throw new Error('a chunk of it is missing');
      if (!startWith(manifest.chunks, chunks)) throw new Error('a chunk of it belongs to another snapshot');
      if (lines !== manifest.count) throw new Error(`it has ${lines} redirects, not ${manifest.count}`);
      return { version: manifest.version, redirects, ...(refused > 0 && { isIncomplete: true }) };
    },
  };
}

/** Returns whether the first elements of `all` are `first`. */
export function startWith(all: readonly string[], first: readonly string[]): boolean {
  return first.every((one, index) => one === all[index]);
}
