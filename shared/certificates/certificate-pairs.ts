import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** A certificate chain and its private key on disk. */
export interface CertificatePair {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** Layouts nest `certificates/<authority>/<host>`. */
const MAX_DEPTH = 4;
export const MAX_PAIRS = 20_000;

/**
 * Finds certificates in a folder and the folders below it: `fullchain.pem` with `privkey.pem` (certbot), and `NAME.crt`
 * or `NAME.pem` with `NAME.key` (Caddy, Kubernetes, mkcert). Symbolic links are followed. At most `MAX_PAIRS`.
 *
 * @throws when the folder itself cannot be read; unreadable folders below it are left out
 */
export async function findCertificatePairs(folder: string): Promise<CertificatePair[]> {
  const pairs: CertificatePair[] = [];
  await collect(folder, await readdir(folder), 0, pairs);
  return pairs.slice(0, MAX_PAIRS);
}

async function collect(
  folder: string,
  names: readonly string[],
  depth: number,
  pairs: CertificatePair[],
): Promise<void> {
  pairs.push(...pairsAmong(folder, names));
  if (depth === MAX_DEPTH) return;
  for (const name of names.toSorted()) {
    if (pairs.length >= MAX_PAIRS) return;
    const below = path.join(folder, name);
    // A file is no folder to read. Both are cheaper to try than to look up.
    const entries = await readdir(below).catch(() => undefined);
    if (entries !== undefined) await collect(below, entries, depth + 1, pairs);
  }
}

function pairsAmong(folder: string, names: readonly string[]): CertificatePair[] {
  const present = new Set(names);
  const keyOf = (name: string): string | undefined => {
    if (name === 'fullchain.pem') return 'privkey.pem';
    return /\.(?:crt|pem)$/.test(name) ? `${name.slice(0, -4)}.key` : undefined;
  };
  return names.flatMap((name) => {
    const key = keyOf(name);
    if (key === undefined || !present.has(key)) return [];
    return [{ certificateFile: path.join(folder, name), keyFile: path.join(folder, key) }];
  });
}
