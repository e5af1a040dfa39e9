import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { packageRoot } from '../../shared/config/package-root.js';
import type { Machine } from '../report/machine.js';
import type { Ratios } from './ratios.js';

const FILE = path.join(packageRoot(), 'bench', 'baseline.json');

/** The stored baseline: ratios, which are comparable between machines, and their origin. It has no times. */
interface Baseline {
  readonly commit: string | null;
  readonly node: string;
  readonly cpu: string;
  readonly pace: 'quick' | 'full';
  readonly ratios: Ratios;
}

/** Stores these ratios. Stored ratios that this run did not measure, such as those of another load, are kept. */
export async function writeBaseline(machine: Machine, quick: boolean, ratios: Ratios): Promise<void> {
  const kept = await readBaseline().catch((): Ratios => ({}));
  const rounded = Object.entries({ ...kept, ...ratios }).map(([name, ratio]) => [
    name,
    Math.round(ratio * 1000) / 1000,
  ]);
  const baseline: Baseline = {
    ...machine,
    pace: quick ? 'quick' : 'full',
    ratios: Object.fromEntries(rounded),
  };
  await writeFile(FILE, `${JSON.stringify(baseline, undefined, 2)}\n`);
}

/** The stored ratios. @throws when none are */
export async function readBaseline(): Promise<Ratios> {
  const text = await readFile(FILE, 'utf8').catch((cause: unknown) => {
    throw new Error('there is no bench/baseline.json: npm run bench -- --baseline makes it', { cause });
  });
  const { ratios } = JSON.parse(text) as Baseline;
  return ratios;
}
