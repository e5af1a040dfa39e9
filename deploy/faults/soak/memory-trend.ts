import { readFile } from 'node:fs/promises';

/** Memory of one process at one moment, in MiB. */
export interface MemorySample {
  readonly atMs: number;
  readonly rssMib: number;
  /** Shared pages count proportionally. */
  readonly pssMib: number;
}

/** Reads the memory of a process. @throws when the process has ended, or the system is not Linux */
export async function readMemory(pid: number, atMs: number): Promise<MemorySample> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  const mib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1024;
  return { atMs, rssMib: mib('Rss'), pssMib: mib('Pss') };
}

/** Returns the slope of a straight line through the samples (least squares), in MiB an hour; 0 for fewer than two. */
export function slopePerHour(samples: readonly MemorySample[], of: 'rssMib' | 'pssMib'): number {
  const meanMs = mean(samples.map(({ atMs }) => atMs));
  const meanMib = mean(samples.map((sample) => sample[of]));
  let covariance = 0;
  let variance = 0;
  for (const sample of samples) {
    covariance += (sample.atMs - meanMs) * (sample[of] - meanMib);
    variance += (sample.atMs - meanMs) ** 2;
  }
  return variance === 0 ? 0 : (covariance / variance) * 3_600_000;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
