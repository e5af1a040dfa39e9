import { createHmac, createSecretKey } from 'node:crypto';
import { deriveKey } from '../../../shared/config/secret-key.js';
import { cachedByText } from '../../../shared/visitor/text-cache.js';

/**
 * Derives the visitor id that the API shows, 16 hexadecimal digits. It differs by owner and by calendar month (UTC).
 * It therefore links no visits across owners or months, and it does not reveal the stored hash.
 *
 * @param ownerId user id of the redirect's owner
 * @param timeMs time of the hit, Unix time
 * @param storedHash stored hash of the visitor: see shared/visitor/visitor-identity.ts
 */
export type ShownVisitor = (ownerId: string, timeMs: number, storedHash: string) => string;

const KEY_PURPOSE = 'waymark shown visitor v1';
const SHOWN_DIGITS = 16;
/** Maximum number of cached visitors of one owner and month. An export contains the same ones repeatedly. */
const MAX_CACHED_VISITORS = 20_000;
/** Separates the parts. None of them can contain it. */
const SEPARATOR = '\u0000';

/** Every process with the same secret shows the same ids. An uncached visitor takes about 3 µs. */
export function createShownVisitor(secret: Buffer): ShownVisitor {
  const key = createSecretKey(deriveKey(secret, KEY_PURPOSE));
  const shownFor = cachedByText(
    (name) => createHmac('sha256', key).update(name).digest('hex').slice(0, SHOWN_DIGITS),
    MAX_CACHED_VISITORS,
  );
  const monthOf = createMonths();
  return (ownerId, timeMs, storedHash) =>
    shownFor(ownerId + SEPARATOR + monthOf(timeMs) + SEPARATOR + storedHash);
}

/** Formats months as `YYYY-MM` (UTC). Hits are read in the order of time, so the month rarely changes. */
function createMonths(): (timeMs: number) => string {
  let startMs = 0;
  let endMs = 0;
  let month = '';
  return (timeMs) => {
    if (timeMs < startMs || timeMs >= endMs) {
      const time = new Date(timeMs);
      startMs = Date.UTC(time.getUTCFullYear(), time.getUTCMonth());
      endMs = Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1);
      month = time.toISOString().slice(0, 7);
    }
    return month;
  };
}
