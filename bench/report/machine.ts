import { execFile } from 'node:child_process';
import os from 'node:os';
import { promisify } from 'node:util';
import { packageRoot } from '../../shared/config/package-root.js';

/** Origin of the figures. */
export interface Machine {
  /** `null` outside a repository. */
  readonly commit: string | null;
  readonly node: string;
  /** Model, number of cores and system. */
  readonly cpu: string;
}

export async function describeMachine(): Promise<Machine> {
  const cpus = os.cpus();
  const model = cpus[0]?.model.trim() ?? 'unknown';
  return {
    commit: await currentCommit(),
    node: process.version,
    cpu: `${model}, ${cpus.length} cores, ${os.type()} ${os.arch()}`,
  };
}

async function currentCommit(): Promise<string | null> {
  try {
    const options = { cwd: packageRoot(), timeout: 5_000 };
    const { stdout } = await promisify(execFile)('git', ['rev-parse', 'HEAD'], options);
    return stdout.trim();
  } catch {
    return null;
  }
}
