import type { DestinationPart } from '../destination.js';
import type { Refusal } from '../outcome.js';

/** Cuts a destination of `RedirectMatch` at `$1` and the like. A backslash keeps the next character as it is. */
export function groupParts(destination: string): readonly DestinationPart[] | Refusal {
  const parts: DestinationPart[] = [];
  for (const [found, escaped, group] of destination.matchAll(/\\([$&])|\$([0-9])|[^\\$]+|[\\$]/g)) {
    if (group !== undefined) parts.push({ capture: group });
    else parts.push({ text: escaped ?? found });
  }
  return parts;
}
