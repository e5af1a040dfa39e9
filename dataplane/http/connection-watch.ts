import type { HttpResponse } from 'uWebSockets.js';
import type { Logger } from 'pino';
import { addressPrefix } from '../../shared/visitor/address-prefix.js';
import { isPrivateAddress } from '../../shared/visitor/private-address.js';
import { createPeerAddresses } from '../visitor/peer-address.js';

/**
 * Reason for the end of a connection without an answer: it was idle for `KEEP_ALIVE_SECONDS`, it ended earlier, or it was
 * closed here because too many were open.
 */
export type UnansweredEnd = 'idle' | 'early' | 'cut';

/** Connections since the process started. */
export interface ConnectionCounts {
  opened: number;
  /** Those that ended with their first answer, if they got one, because too many were kept. */
  notKept: number;
  /** Those that were closed because memory was scarce and their client did not read. */
  unread: number;
  readonly unanswered: Record<UnansweredEnd, number>;
}

/**
 * Counts connections, and among them those that ended without any answer of the handler. The addon itself refuses
 * malformed requests (400, 431, 505) and does not report them, so this count makes them visible. It includes clients
 * that connect and send nothing, because the addon does not distinguish them.
 */
export interface ConnectionWatch {
  readonly counts: ConnectionCounts;
  opened(connection: HttpResponse): void;
  /** Counts a connection that is not kept after its first answer. */
  notKept(): void;
  /** Counts a connection that was closed because its client did not read. */
  unread(): void;
  /** Calls `close`, which closes connections because too many are open. */
  cut(close: () => void): void;
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
  const counts: ConnectionCounts = {
    opened: 0,
    notKept: 0,
    unread: 0,
    unanswered: { idle: 0, early: 0, cut: 0 },
  };
  const peers = createPeerAddresses();
  const log = (message: string) => createSampledLog(logger, nowMs, message);
  const endedLog = log(
    'connections ended without an answer: the client sent no valid HTTP/1.1 request or left',
  );
  const notKeptLog = log(
    'too many connections are open (MAX_KEPT_CONNECTIONS): new ones end with their first answer, and the oldest without an answer are closed',
  );
  const unreadLog = log(
    'connections were closed: their clients sent requests without reading the answers, and these filled the memory',
  );
  const cutLog = log('connections were closed before they had sent a whole request: too many were open');
  let sampleUntilMs = Number.NEGATIVE_INFINITY;
  let isCutting = false;

  function ended(openedAtMs: number, peer: string): void {
    const atMs = nowMs();
    const end = isCutting ? 'cut' : atMs - openedAtMs < keepAliveSeconds * 1_000 ? 'early' : 'idle';
    counts.unanswered[end] += 1;
    sampleUntilMs = atMs + LOG_INTERVAL_MS;
    (isCutting ? cutLog : endedLog).add(peer);
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
    notKept() {
      counts.notKept += 1;
      notKeptLog.add('');
    },
    unread() {
      counts.unread += 1;
      unreadLog.add('');
    },
    cut(close) {
      isCutting = true;
      try {
        close();
      } finally {
        isCutting = false;
      }
    },
  };
}

/** A line a minute, with the number of connections since the last one and the peer of the latest one. */
function createSampledLog(logger: Logger, nowMs: () => number, message: string) {
  let nextAtMs = Number.NEGATIVE_INFINITY;
  let unlogged = 0;
  return {
    /** @param peer '' when it is unknown */
    add(peer: string): void {
      unlogged += 1;
      const atMs = nowMs();
      if (atMs < nextAtMs) return;
      logger.info({ connections: unlogged, ...(peer !== '' && { examplePeer: loggable(peer) }) }, message);
      unlogged = 0;
      nextAtMs = atMs + LOG_INTERVAL_MS;
    },
  };
}

/** Logs show only the network of a public address, so they do not identify visitors. */
function loggable(peer: string): string {
  return isPrivateAddress(peer) ? peer : addressPrefix(peer);
}
