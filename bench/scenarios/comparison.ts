import type { ServerKind } from '../servers/server-kind.js';

/** A comparison of servers under the same load. */
export interface Comparison {
  readonly name: string;
  readonly summary: string;
  readonly hostCount: number;
  readonly samplingRate: number;
  readonly connections: number;
  readonly servers: readonly ServerKind[];
  readonly quickServers: readonly ServerKind[];
}
