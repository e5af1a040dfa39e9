import { drawOf } from './draw.js';

/**
 * Returns the index of the share whose range contains the draw: the first share whose bound is above the draw,
 * otherwise the last one.
 *
 * @param bounds ascending, 0 to 1, one for each share except the last
 * @param draw in [0, 1)
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
  /** Above 0. Only the proportions matter. */
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
