import type { PathEntry } from './path-entry.js';

/** A remark about an entry that can be served but is probably a mistake. */
export interface PathDiagnostic {
  readonly kind: 'duplicate' | 'unreachable' | 'loop' | 'chain' | 'collapsed';
  readonly source: string;
  /** Source of the other entry, or a URL of the loop. */
  readonly other?: string;
  readonly message: string;
}

const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;

/** Returns a remark about an entry whose path clients resolve to another path before they send a request. */
export function dotSegments({ source }: Pick<PathEntry, 'source'>): PathDiagnostic | undefined {
  if (!source.split('/').some((segment) => DOT_SEGMENT.test(segment))) return undefined;
  const message = `No browser asks for ${source}: browsers resolve "." and ".." before they send a request.`;
  return { kind: 'unreachable', source, message };
}

/**
 * Returns a remark about an entry that never decides because other entries cover it.
 *
 * @param last the entry that completes the cover
 */
export function coveredEntry(
  { source }: Pick<PathEntry, 'source'>,
  last: Pick<PathEntry, 'source'>,
): PathDiagnostic {
  const message = `No request reaches ${source}: entries that decide first, among them ${last.source}, leave none. Remove it, or one of them.`;
  return { kind: 'unreachable', source, other: last.source, message };
}

/** Returns a remark about an entry whose destination another entry redirects again. */
export function chain(
  { source }: Pick<PathEntry, 'source'>,
  next: Pick<PathEntry, 'source'>,
): PathDiagnostic {
  const message = `${source} leads to ${next.source}, which redirects again. Use the last destination to save visitors a request.`;
  return { kind: 'chain', source, other: next.source, message };
}
