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
  return [JSON.stringify(assignment)];
}

/** @throws when a process was started with other arguments */
export function parseAssignment([text = '{}']: readonly string[]): WorkerAssignment {
  const assignment: WorkerAssignment = JSON.parse(text);
  const { number, redirectPort, awaitFeedMs } = assignment;
  if (number >= 1 && redirectPort >= 1 && awaitFeedMs >= 0) return assignment;
  throw new Error('a worker is started by its supervisor, with its number and its port');
}
