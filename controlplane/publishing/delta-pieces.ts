import { isPageKey } from '../../shared/paths/published-paths.js';
import type { RulesetDelta } from '../../shared/ruleset/ruleset-feed.js';

/** Maximum changes of a piece. A data plane takes about 2 ms for them, and visitors wait meanwhile. */
const MAX_CHANGES_PER_PIECE = 200;

/**
 * Cuts a delta into deltas that follow each other. It stays whole if a host changed twice, because a piece must have the
 * last state of each host that changed since its beginning. It also stays whole if it has pages of paths, which change in
 * one step with their redirect.
 */
export function piecesOf(delta: RulesetDelta): readonly RulesetDelta[] {
  const { version, previousSeq, previousLineage, changes } = delta;
  const isOnePerChange = changes.length === version.seq - previousSeq;
  const isShort = changes.length <= MAX_CHANGES_PER_PIECE;
  if (isShort || !isOnePerChange || changes.some(({ host }) => isPageKey(host))) return [delta];
  const { epoch } = version;
  return Array.from({ length: Math.ceil(changes.length / MAX_CHANGES_PER_PIECE) }, (_, index) => {
    const start = index * MAX_CHANGES_PER_PIECE;
    const end = Math.min(start + MAX_CHANGES_PER_PIECE, changes.length);
    return {
      // The commits of the versions in between are not known.
      version: end === changes.length ? version : { epoch, seq: previousSeq + end },
      previousSeq: previousSeq + start,
      ...(start === 0 && previousLineage !== undefined && { previousLineage }),
      changes: changes.slice(start, end),
    };
  });
}
