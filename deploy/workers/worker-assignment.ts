/** Arguments of a worker's start. It reads everything else from its environment. */
export interface WorkerAssignment {
  /** Number of the worker, from 1. The first one also does the work that only one of them may do. */
  readonly number: number;
  /** The port that all workers share. */
  readonly redirectPort: number;
  /** The port for HTTPS that all workers share; undefined without HTTPS. */
  readonly tlsPort?: number;
  /** Maximum wait for the newest ruleset before the worker listens. 0 if no other worker answers visitors. */
  readonly awaitFeedMs: number;
  /** Whether there is a control plane in the parent, which will send the address of its API. */
  readonly hasOwnApi: boolean;
}

/** Returns the assignment as process arguments. */
export function assignmentArguments(assignment: WorkerAssignment): string[] {
  const { number, redirectPort, tlsPort, awaitFeedMs, hasOwnApi } = assignment;
  const api = hasOwnApi ? 'api' : 'no-api';
  return [
    String(number),
    String(redirectPort),
    String(awaitFeedMs),
    api,
    ...(tlsPort ? [String(tlsPort)] : []),
  ];
}

/** @throws when a process was started with other arguments */
export function parseAssignment([
  number,
  redirectPort,
  awaitFeedMs,
  api,
  tlsPort,
]: readonly string[]): WorkerAssignment {
  const assignment = {
    number: Number(number),
    redirectPort: Number(redirectPort),
    awaitFeedMs: Number(awaitFeedMs),
    hasOwnApi: api === 'api',
    ...(tlsPort !== undefined && { tlsPort: Number(tlsPort) }),
  };
  if (!(assignment.number >= 1) || !(assignment.redirectPort >= 1) || !(assignment.awaitFeedMs >= 0)) {
    throw new Error('a worker is started by its supervisor, with its number and its port');
  }
  return assignment;
}
