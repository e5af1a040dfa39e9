import { UsageError } from '../../deploy/faults/command-line.js';
import { findProgram } from '../harness/find-program.js';
import { autocannonLoad } from './autocannon.js';
import type { LoadGenerator } from './load-generator.js';
import { wrk } from './wrk.js';

export const LOAD_NAMES = ['autocannon', 'wrk'] as const;
export type LoadName = (typeof LOAD_NAMES)[number];

/**
 * Returns the load generator of this name. Default: wrk where it is installed, otherwise autocannon.
 *
 * @throws {UsageError} when wrk is named and not installed
 */
export function chooseLoad(name: LoadName | undefined): LoadGenerator {
  if (name === 'autocannon') return autocannonLoad;
  const isInstalled = findProgram('wrk', '-v') !== undefined;
  if (name === 'wrk' && !isInstalled) throw new UsageError('--load wrk: wrk is not installed');
  return isInstalled ? wrk : autocannonLoad;
}
