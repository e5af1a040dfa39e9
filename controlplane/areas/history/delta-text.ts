import { packText, unpackText } from '../../storage/packed-text.js';
import type { ReverseDelta } from './reverse-delta.js';

/** Longer deltas are compressed. PostgreSQL would store texts from 2 KB on out of line anyway. */
const MAX_PLAIN_LENGTH = 8_192;

/** A stored delta. Both members are null for a creation, because no earlier state exists. */
export interface StoredDelta {
  readonly delta: string | null;
  /** gzip. */
  readonly packed: Uint8Array | null;
}

export async function encodeDelta(delta: ReverseDelta | null): Promise<StoredDelta> {
  if (delta === null) return { delta: null, packed: null };
  const text = JSON.stringify(delta);
  if (text.length <= MAX_PLAIN_LENGTH) return { delta: text, packed: null };
  return { delta: null, packed: await packText(text) };
}

/** Returns null for a creation. */
export async function decodeDelta({ delta, packed }: StoredDelta): Promise<ReverseDelta | null> {
  if (delta !== null) return JSON.parse(delta) as ReverseDelta;
  return packed === null ? null : (JSON.parse(await unpackText(packed)) as ReverseDelta);
}
