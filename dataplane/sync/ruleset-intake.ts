import { setImmediate as nextTurn } from 'node:timers/promises';
import { changesIn, openChunk, type RefusedRedirect } from '../../shared/ruleset/ruleset-chunk.js';
import { hasCompressedChunks, type SnapshotManifest } from '../../shared/ruleset/ruleset-codec.js';
import type { RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import { ColdRedirects } from './cold/cold-redirects.js';

/** Redirects applied per turn. They take about 3 ms, and visitors are answered in between. */
const LINES_PER_TURN = 250;
const MOST_REFUSALS_TOLD = 20;

/** Takes in a ruleset chunk by chunk. Only the redirects are kept, in their compact form. */
export interface RulesetIntake {
  /** Number of chunks taken in. */
  readonly chunks: number;
  /**
   * Applies the next chunk. One call at a time. After an error the chunk can be given again.
   *
   * @throws when it differs from the manifest
   */
  take(bytes: Buffer): Promise<void>;
  /** @throws when a chunk is missing */
  end(): RulesetSnapshot<ColdRedirects>;
}

/** @param onRefused called for redirects that are left out, with host and field */
export function createRulesetIntake(
  manifest: SnapshotManifest,
  onRefused: (problem: string) => void,
): RulesetIntake {
  const redirects = new ColdRedirects();
  let chunks = 0;
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
    get chunks() {
      return chunks;
    },
    async take(bytes) {
      const sha256 = manifest.chunks[chunks];
      if (sha256 === undefined) throw new Error('it has more chunks than it announces');
      const opened = await openChunk(bytes, sha256, hasCompressedChunks(manifest));
      lines += await apply(opened);
      chunks += 1;
    },
    end() {
      if (chunks !== manifest.chunks.length) throw new Error('a chunk of it is missing');
      if (lines !== manifest.count) throw new Error(`it has ${lines} redirects, not ${manifest.count}`);
      return { version: manifest.version, redirects, ...(refused > 0 && { isIncomplete: true }) };
    },
  };
}
