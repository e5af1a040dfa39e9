import type { Readiness } from '../../dataplane/http/admin-listener.js';
import type { SlotStatus } from './worker-slot.js';

/**
 * Body of `/readyz` for several processes: that of the process with the oldest ruleset, and the number of ready ones.
 */
export interface PoolReadiness extends Readiness {
  readonly workers: { readonly wanted: number; readonly ready: number };
}

const NOT_READY = { ready: false, version: null, ageMs: null, state: 'cold', hosts: 0 } as const;
const ABSENT: Readiness = { ...NOT_READY, lastError: 'no data-plane process runs' };
const SILENT: Readiness = { ...NOT_READY, lastError: 'a data-plane process does not answer' };
const LEAVING = 'this process is stopping';

/**
 * Returns the readiness of the pool. It is ready if every process that accepts connections can answer them. An absent
 * process accepts none, so the others are ready without it. A silent process may have accepted some.
 *
 * @param statuses one for each configured process
 * @param isLeaving whether the pool will stop soon; new visitors should then use other servers
 */
export function poolReadiness(statuses: readonly SlotStatus[], isLeaving = false): PoolReadiness {
  const present = statuses
    .filter((status) => status !== 'absent')
    .map((status) => (status === 'silent' ? SILENT : status.readiness));
  const ready = present.filter((readiness) => readiness.ready).length;
  const [last = ABSENT] = present.sort(byVersion);
  return {
    ...last,
    ...(isLeaving && { lastError: LEAVING }),
    ready: !isLeaving && ready > 0 && ready === present.length,
    workers: { wanted: statuses.length, ready },
  };
}

/** Whether any process answers visitors, ready or not. */
export function isAnyAnswering(statuses: readonly SlotStatus[]): boolean {
  return statuses.some((status) => typeof status !== 'string');
}

/** Orders workers: those without a ruleset first. Versions are `epoch.seq`. */
function byVersion(a: Readiness, b: Readiness): number {
  const [epoch = 0, seq = 0] = (a.version ?? '').split('.').map(Number);
  const [otherEpoch = 0, otherSeq = 0] = (b.version ?? '').split('.').map(Number);
  return epoch - otherEpoch || seq - otherSeq;
}
