import type { Load } from './load/load.js';
import type { World, WorldOptions } from './world.js';
import type { Writers } from './writers.js';

/** The running product, with visitors and writers, into which a fault is injected. */
export interface Stage {
  readonly world: World;
  readonly load: Load;
  readonly writers: Writers;
  /** @returns `fullMs`, or less in a quick run */
  outageMs(fullMs: number): number;
  /** @returns `full`, or once in a quick run */
  times(full: number): number;
  /** Lets time pass while the fault lasts. */
  pause(durationMs: number): Promise<void>;
  say(line: string): void;
  /** Adds a requirement of this fault's own. */
  check(isMet: boolean, otherwise: string): void;
  /** Says that everything is back now: from here it counts how long the data planes take to converge. */
  mended(): void;
}

/**
 * `none`; `dropped`: what the data planes count as dropped; `killed`: what went with a process, which the product counts
 * but for what was recorded in the last moment.
 */
export type AllowedLoss = 'none' | 'dropped' | 'killed';

/** One thing that goes wrong, and what may come of it. */
export interface Fault {
  readonly name: string;
  /** Short description of the fault for the table. */
  readonly summary: string;
  readonly isQuick: boolean;
  readonly allowedLoss: AllowedLoss;
  /** Called anew for each time it is played. */
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
  /** Does it, and undoes it. */
  run(stage: Stage): Promise<void>;
}
