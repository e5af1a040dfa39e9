import type { Logger } from 'pino';
import type { HitSink } from '../../shared/hits/hit-batch.js';
import type { RulesetFeed, RulesetFeedListener } from '../../shared/ruleset/ruleset-feed.js';
import type { ParentMessage, WorkerMessage, WorkerStatus } from './ipc-messages.js';

/** A worker's end of the channel to its parent. */
export interface ParentChannel {
  readonly feed: RulesetFeed;
  readonly sink: HitSink;
  /** Aborted when the parent is gone. The sink then accepts no more hits. */
  readonly gone: AbortSignal;
  /** Address of the API of the control plane in the parent; undefined until the parent has sent it. */
  apiUrl(): string | undefined;
  /** Returns the time to serve without the parent; undefined unless the parent gave it before its end. */
  handoverMs(): number | undefined;
  /** Sends a report. Reports are dropped while the parent reads nothing, which bounds memory. */
  send(message: WorkerMessage): void;
  /** Sets the answer to the parent's question about the state of this worker. */
  onStatusWanted(status: () => Promise<WorkerStatus>): void;
  /** Sets the answer to whether there is a redirect for a host. */
  onHostAsked(serves: (host: string) => boolean): void;
  /** Sets the reaction to the parent's request to end. Called immediately if the request has already arrived. */
  onDrain(listener: () => void): void;
  /** Sets the reaction to the loss of the parent. Called immediately if the parent is already gone. */
  onGone(listener: () => void): void;
}

interface PendingDelivery {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** @throws when this process was not forked with an IPC channel */
export function connectToParent(logger: Logger): ParentChannel {
  if (process.send === undefined) throw new Error('this process is started by its supervisor only');
  let listener: RulesetFeedListener | undefined;
  let statusOf: (() => Promise<WorkerStatus>) | undefined;
  let serves: ((host: string) => boolean) | undefined;
  let apiUrl: string | undefined;
  let handoverMs: number | undefined;
  let unsent = 0;
  const drain = new AbortController();
  const gone = new AbortController();
  let nextDeliveryId = 1;
  const deliveries = new Map<number, PendingDelivery>();

  const send = (message: WorkerMessage) => {
    if (!process.connected || (message.type === 'report' && unsent > 0)) return;
    unsent += 1;
    // The callback also gets the error of a channel that has closed. `disconnect` reports the closing.
    process.send?.(message, undefined, {}, () => {
      unsent -= 1;
    });
  };

  const answerStatus = async (id: number) => {
    try {
      const status = await statusOf?.();
      if (status !== undefined) send({ type: 'status-answer', id, status });
    } catch (error) {
      // Without an answer the parent counts this process as silent.
      logger.error({ err: error }, 'the status of this process could not be found out');
    }
  };

  process.on('message', (message: ParentMessage) => {
    switch (message.type) {
      case 'ping':
        send({ type: 'pong' });
        break;
      case 'snapshot':
        listener?.onSnapshot(message.snapshot);
        break;
      case 'delta':
        listener?.onDelta(message.delta);
        break;
      case 'head':
        listener?.onHead(message.version);
        break;
      case 'applied-wanted':
        send({ type: 'applied' });
        break;
      case 'feed-problem':
        listener?.onProblem(message.problem);
        break;
      case 'hit-batch-answer': {
        const delivery = deliveries.get(message.id);
        deliveries.delete(message.id);
        if (message.error === undefined) delivery?.resolve();
        else delivery?.reject(new Error(message.error));
        break;
      }
      case 'status-wanted':
        void answerStatus(message.id);
        break;
      case 'host-asked':
        if (serves !== undefined)
          send({ type: 'host-answer', id: message.id, isServed: serves(message.host) });
        break;
      case 'api':
        apiUrl = message.url;
        break;
      case 'hand-over':
        handoverMs = message.forMs;
        break;
      case 'drain':
        drain.abort();
        break;
    }
  });
  const onDisconnect = () => {
    for (const { reject } of deliveries.values()) reject(new Error('the parent process is gone'));
    deliveries.clear();
    gone.abort();
  };
  process.on('disconnect', onDisconnect);
  // If the parent ended while this process was loading its modules, the event has already passed.
  if (!process.connected) onDisconnect();

  return {
    send,
    gone: gone.signal,
    apiUrl: () => apiUrl,
    handoverMs: () => handoverMs,
    feed: {
      start(feedListener, known) {
        listener = feedListener;
        send({ type: 'snapshot-wanted', ...(known && { known }) });
      },
      requestSnapshot: () => send({ type: 'snapshot-wanted' }),
      stop() {
        listener = undefined;
      },
    },
    sink: {
      deliver: (encoded) =>
        new Promise((resolve, reject) => {
          if (!process.connected) {
            reject(new Error('the parent process is gone'));
            return;
          }
          const id = nextDeliveryId++;
          deliveries.set(id, { resolve, reject });
          send({ type: 'hit-batch', id, encoded });
        }),
    },
    onStatusWanted(status) {
      statusOf = status;
    },
    onHostAsked(newServes) {
      serves = newServes;
    },
    onDrain: (drainListener) => whenAborted(drain.signal, drainListener),
    onGone: (goneListener) => whenAborted(gone.signal, goneListener),
  };
}

function whenAborted(signal: AbortSignal, listener: () => void): void {
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
}
