import type { Logger } from 'pino';
import type { HitSink } from '../../shared/hits/hit-batch.js';
import type { RulesetFeed, RulesetFeedListener } from '../../shared/ruleset/ruleset-feed.js';
import type { ParentMessage, WorkerMessage, WorkerStatus } from './ipc-messages.js';

/** A worker's end of the channel to its parent. */
export interface ParentChannel {
  readonly feed: RulesetFeed;
  readonly sink: HitSink;
  /** Aborted when the parent is gone: the sink takes nothing any more. */
  readonly gone: AbortSignal;
  /** Where the API of the control plane in the parent listens, once that has said so. */
  apiUrl(): string | undefined;
  send(message: WorkerMessage): void;
  /** Registers who answers when the parent asks how this worker is. */
  onStatusWanted(status: () => Promise<WorkerStatus>): void;
  /** Registers what to do when the parent asks for the end or is gone, be it that this has happened already. */
  onEnd(listener: () => void): void;
}

interface PendingDelivery {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** @throws when this process was not forked with an IPC channel */
export function connectToParent(logger: Logger): ParentChannel {
  if (process.send === undefined) throw new Error('this process is started by its supervisor only');
  let listener: RulesetFeedListener | undefined;
  let onEnd: (() => void) | undefined;
  let statusOf: (() => Promise<WorkerStatus>) | undefined;
  let isToEnd = false;
  let apiUrl: string | undefined;
  const gone = new AbortController();
  let nextDeliveryId = 1;
  const deliveries = new Map<number, PendingDelivery>();

  // The callback takes the error of a channel that closed meanwhile: `disconnect` reports that.
  const send = (message: WorkerMessage) => {
    if (process.connected) process.send?.(message, undefined, {}, () => {});
  };

  const answerStatus = async (id: number) => {
    try {
      const status = await statusOf?.();
      if (status !== undefined) send({ type: 'status-answer', id, status });
    } catch (error) {
      // Without an answer the parent says for itself that this process is silent.
      logger.error({ err: error }, 'how this process is could not be found out');
    }
  };

  const end = () => {
    isToEnd = true;
    onEnd?.();
  };

  process.on('message', (message: ParentMessage) => {
    switch (message.type) {
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
      case 'api':
        apiUrl = message.url;
        break;
      case 'drain':
        end();
        break;
    }
  });
  const onDisconnect = () => {
    gone.abort();
    for (const { reject } of deliveries.values()) reject(new Error('the parent process is gone'));
    deliveries.clear();
    end();
  };
  process.on('disconnect', onDisconnect);
  // A parent that ended while this process was still loading its modules: the event has been.
  if (!process.connected) onDisconnect();

  return {
    send,
    gone: gone.signal,
    apiUrl: () => apiUrl,
    feed: {
      start(feedListener) {
        listener = feedListener;
        send({ type: 'snapshot-wanted' });
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
    onEnd(endListener) {
      onEnd = endListener;
      if (isToEnd) endListener();
    },
  };
}
