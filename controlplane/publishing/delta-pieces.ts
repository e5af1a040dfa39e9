import { isPageKey } from '../../shared/paths/published-paths.js';
import type { RulesetDelta } from '../../shared/ruleset/ruleset-feed.js';
import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import { versionBetween } from './ruleset-head.js';
import type { ReadDelta } from './ruleset-repository.js';

/** Maximum changes of a piece. A data plane takes about 2 ms for them, and visitors wait meanwhile. */
const MAX_CHANGES_PER_PIECE = 200;

/**
 * Cuts a delta into deltas that follow each other. It stays whole if a host changed twice, because a piece must have the
 * last state of each host that changed since its beginning. It also stays whole if it has pages of paths, which change in
 * one step with their redirect.
 *
 * @param since the version that the delta leads on from
 */
export function piecesOf(delta: ReadDelta, since: RulesetVersion): readonly RulesetDelta[] {
  const { version, changes, commits } = delta;
  const isOnePerChange = changes.length === version.seq - since.seq;
  const isShort = changes.length <= MAX_CHANGES_PER_PIECE;
  if (isShort || !isOnePerChange || changes.some(({ host }) => isPageKey(host))) return [delta];
  const pieces: RulesetDelta[] = [];
  let before = since;
  for (let start = 0; start < changes.length; start += MAX_CHANGES_PER_PIECE) {
    const end = Math.min(start + MAX_CHANGES_PER_PIECE, changes.length);
    const at = { seq: since.seq + end, commit: commits[end - 1] ?? null };
    const after =
      end === changes.length ? version : versionBetween(since, version, at, changes.slice(0, end));
    pieces.push({
      version: after,
      previousSeq: before.seq,
      ...(before.lineage !== undefined && { previousLineage: before.lineage }),
      changes: changes.slice(start, end),
    });
    before = after;
  }
  return pieces;
}
