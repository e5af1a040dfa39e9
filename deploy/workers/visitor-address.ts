import {
  freeAddress,
  type ListenAddress,
  ListenError,
  type ListenTarget,
} from '../../dataplane/http/listen-address.js';
import { isPortHeldOnlyBy } from './port-owners.js';

export interface VisitorAddress extends ListenAddress {
  /** Whether workers of an earlier supervisor listen there. */
  readonly isShared: boolean;
}

/**
 * Checks that an address is free, or held only by workers of an earlier supervisor.
 *
 * @param formerPids the processes of those workers
 * @throws {ListenError} if another process has the port
 */
export async function visitorAddress(
  target: ListenTarget,
  formerPids: readonly number[],
): Promise<VisitorAddress> {
  try {
    return { ...(await freeAddress(target)), isShared: false };
  } catch (error) {
    if (!(error instanceof ListenError) || !(await isPortHeldOnlyBy(target.port, formerPids))) throw error;
    return { host: target.host, port: target.port, isShared: true };
  }
}
