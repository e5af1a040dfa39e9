import { drawOf } from './draw.js';

/**
 * Returns the index of the share that a draw falls into when the shares are laid end to end: the first whose bound is
 * above the draw, otherwise the last.
 *
 * @param bounds ascending, one for each share but the last, 0 to 1
 * @param draw 0 to 1, without 1
 */
export function pickByRange(bounds: readonly number[], draw: number): number {
  let index = 0;
  for (const bound of bounds) {
    if (draw < bound) return index;
    index += 1;
  }
  return index;
}

/** Returns the `bounds` of `pickByRange` for shares in percent that sum to 100. */
export function boundsOf(percentages: readonly number[]): number[] {
  let reached = 0;
  return percentages.slice(0, -1).map((percentage) => {
    reached += percentage;
    return reached / 100;
  });
}

/** A variant for weighted rendezvous hashing. */
export interface RendezvousShare {
  /** Seed of its draws, from `seedOfVariant`. */
  readonly seed: number;
  /** Over 0; only proportions count. */
  readonly weight: number;
}

/**
 * Chooses a visitor's variant by weighted rendezvous hashing: each variant draws for the visitor, and the lowest
 * -ln(draw) / weight wins. Draws do not depend on weights. A change of weights therefore moves visitors only to
 * variants whose share grew relative to their own.
 */
export function pickByRendezvous(shares: readonly RendezvousShare[], visitorId: string): number {
  let nearest = 0;
  let shortest = Number.POSITIVE_INFINITY;
  for (let index = 0; index < shares.length; index += 1) {
    const share = shares[index];
    if (share === undefined) break;
    const distance = -Math.log(drawOf(visitorId, share.seed)) / share.weight;
    if (distance < shortest) {
      shortest = distance;
      nearest = index;
    }
  }
  return nearest;
}
