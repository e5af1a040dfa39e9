import type { Load } from './load/load.js';
import type { World, WorldOptions } from './world.js';
import type { Writers } from './writers.js';

/** The running product with visitors and writers, into which a fault is injected. */
export interface Stage {
  readonly world: World;
  readonly load: Load;
  readonly writers: Writers;
  /** @returns `fullMs`; less in a quick run */
  outageMs(fullMs: number): number;
  /** @returns `full`; once in a quick run */
  times(full: number): number;
  /** Waits while the fault lasts. */
  pause(durationMs: number): Promise<void>;
  say(line: string): void;
  /** Adds a requirement of this fault. */
  check(isMet: boolean, otherwise: string): void;
  /** Marks the end of the fault. The time of convergence counts from here. */
  mended(): void;
}

/**
 * Permitted loss. `none`; `dropped`: hits that the data planes count as dropped; `killed`: hits that were lost with a
 * killed process. The product counts the latter except those of the last moment.
 */
export type AllowedLoss = 'none' | 'dropped' | 'killed';

/** A fault, and its permitted consequences. */
export interface Fault {
  readonly name: string;
  /** Short description of the fault for the table. */
  readonly summary: string;
  readonly isQuick: boolean;
  readonly allowedLoss: AllowedLoss;
  /** Called for each injection. */
  prepare(): FaultPlan;
}

/** Timing of an injected fault. */
export interface FaultPlan {
  readonly world?: WorldOptions;
  /** Rate for each data plane; default 1,100. */
  readonly requestsPerSecond?: number;
  /** Default: none. */
  readonly paddingBytes?: number;
  /** Reason why the fault cannot be injected on this machine. */
  readonly impossible?: string;
  /** Injects the fault, and ends it. */
  run(stage: Stage): Promise<void>;
}

/** Creates a fault without preparation. Default: it loses no hit, and takes too long for a quick run. */
export function createFault(
  name: string,
  summary: string,
  run: FaultPlan['run'],
  {
    isQuick = false,
    allowedLoss = 'none',
    ...plan
  }: Partial<Omit<Fault, 'prepare'> & Omit<FaultPlan, 'run'>> = {},
): Fault {
  return { name, summary, isQuick, allowedLoss, prepare: () => ({ ...plan, run }) };
}
