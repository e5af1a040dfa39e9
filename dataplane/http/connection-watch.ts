import type { HttpResponse } from 'uWebSockets.js';
import type { Logger } from 'pino';
import { addressPrefix } from '../../shared/visitor/address-prefix.js';
import { isPrivateAddress } from '../../shared/visitor/private-address.js';
import { createPeerAddresses } from '../visitor/peer-address.js';

/** Reason for the end of a connection without an answer: it was idle for `KEEP_ALIVE_SECONDS`, or it ended earlier. */
export type UnansweredEnd = 'idle' | 'early';

/** Connections since the process started. */
export interface ConnectionCounts {
  opened: number;
  readonly unanswered: Record<UnansweredEnd, number>;
}

/**
 * Counts connections, and among them those that ended without any answer of the handler. The addon itself refuses
 * malformed requests (400, 431, 505) and tells nobody; this is how they show. Clients that connect and send nothing
 * are counted as well: the addon does not tell them apart.
 */
export interface ConnectionWatch {
  readonly counts: ConnectionCounts;
  opened(connection: HttpResponse): void;
}

export interface ConnectionWatchDeps {
  readonly keepAliveSeconds: number;
  readonly logger: Logger;
  /** Milliseconds of a clock that never goes back. */
  readonly nowMs?: () => number;
}

const LOG_INTERVAL_MS = 60_000;

export function createConnectionWatch({
  keepAliveSeconds,
  logger,
  nowMs = () => performance.now(),
}: ConnectionWatchDeps): ConnectionWatch {
  const counts: ConnectionCounts = { opened: 0, unanswered: { idle: 0, early: 0 } };
  const peers = createPeerAddresses();
  let sampleUntilMs = Number.NEGATIVE_INFINITY;
  let nextLogAtMs = Number.NEGATIVE_INFINITY;
  let unlogged = 0;

  function ended(openedAtMs: number, peer: string): void {
    const atMs = nowMs();
    counts.unanswered[atMs - openedAtMs < keepAliveSeconds * 1_000 ? 'early' : 'idle'] += 1;
    unlogged += 1;
    sampleUntilMs = atMs + LOG_INTERVAL_MS;
    if (atMs < nextLogAtMs) return;
    logger.info(
      { connections: unlogged, ...(peer !== '' && { examplePeer: loggable(peer) }) },
      'connections ended without an answer: the client sent no valid HTTP/1.1 request or left',
    );
    unlogged = 0;
    nextLogAtMs = atMs + LOG_INTERVAL_MS;
  }

  return {
    counts,
    opened(connection) {
      counts.opened += 1;
      const atMs = nowMs();
      // Reading the address is a system call, so it is read only while there is something to log. It is gone at the end.
      const peer = atMs < sampleUntilMs ? peers.textOf(connection.getRemoteAddress()) : '';
      // The first answer removes this callback.
      connection.onAborted(() => ended(atMs, peer));
    },
  };
}

/** Logs show only the network of a public address, so that they do not identify visitors. */
function loggable(peer: string): string {
  return isPrivateAddress(peer) ? peer : addressPrefix(peer);
}
