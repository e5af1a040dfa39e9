import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { packageRoot } from '../../shared/config/package-root.js';
import type { Machine } from '../report/machine.js';
import type { Baseline } from './baseline.js';

const FILE = path.join(packageRoot(), 'bench', 'baseline.json');

/** The stored baseline and its origin. It has ratios, which are comparable between machines, and no times. */
interface StoredBaseline {
  readonly commit: string | null;
  readonly node: string;
  readonly cpu: string;
  readonly pace: 'quick' | 'full';
  readonly ratios: Baseline;
}

/** Stores a baseline. Stored ratios that it does not have, such as those of another load generator, are kept. */
export async function writeBaseline(machine: Machine, isQuick: boolean, measured: Baseline): Promise<void> {
  const kept = await readBaseline().catch((): Baseline => ({}));
  const stored: StoredBaseline = {
    ...machine,
    pace: isQuick ? 'quick' : 'full',
    ratios: { ...kept, ...measured },
  };
  await writeFile(FILE, `${JSON.stringify(stored, undefined, 2)}\n`);
}

/** Reads the stored baseline. @throws when there is none */
export async function readBaseline(): Promise<Baseline> {
  const text = await readFile(FILE, 'utf8').catch((cause: unknown) => {
    throw new Error('bench/baseline.json is missing. Create it with: npm run bench -- --quick --baseline', {
      cause,
    });
  });
  const { ratios } = JSON.parse(text) as StoredBaseline;
  return ratios;
}
