import type { Logger } from 'pino';
import { createCoalescer } from '../../shared/async/coalescer.js';
import { settledWithin } from '../../shared/async/deadline.js';
import type { HitSink } from '../../shared/hits/hit-batch.js';
import type { DataplaneReport } from '../../shared/ruleset/dataplane-report.js';
import type { RulesetFeed, RulesetFeedListener } from '../../shared/ruleset/ruleset-feed.js';
import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import type { ParentMessage } from './ipc-messages.js';

/** Links from a worker without Redis or Kafka to the control plane in its parent. */
export interface ParentLinks {
  readonly createFeed: () => RulesetFeed;
  /** Undefined if hits go to Kafka. */
  readonly sink: HitSink | undefined;
  /** Accepts a worker's report of the ruleset that it serves, if there is no Redis for these reports. */
  takeReport(report: DataplaneReport): void;
}

/** Maximum wait of changes for a worker's acknowledgement. */
const ANSWER_LIMIT_MS = 2_000;

/** Sends rulesets to one worker and receives its hits, in the process of the control plane. */
export interface WorkerLinks {
  /** Uses these links instead of earlier ones, and serves requests that came before. */
  connect(links: ParentLinks): void;
  /** @param known version that the worker has at its start */
  requestSnapshot(known?: RulesetVersion): void;
  takeBatch(id: number, encoded: Uint8Array): void;
  takeReport(report: DataplaneReport): void;
  /** The worker has applied everything that was sent before the question. */
  takeApplied(): void;
  /** The worker is gone. */
  cut(): void;
}

export function createWorkerLinks(
  send: (message: ParentMessage) => void,
  logger: Logger,
  answerLimitMs = ANSWER_LIMIT_MS,
): WorkerLinks {
  let links: ParentLinks | undefined;
  let feed: RulesetFeed | undefined;
  let snapshotWanted = false;
  let known: RulesetVersion | undefined;
  let isCut = false;
  let settleApplied: (() => void) | undefined;
  let isSilent = false;
  // Only one question is open at a time, even if there are many changes while a worker is silent.
  const questions = createCoalescer(
    () =>
      new Promise((resolve) => {
        settleApplied = resolve;
        if (isCut) resolve();
        else send({ type: 'applied-wanted' });
      }),
  );

  /** A worker that was silent for long is not waited for until it answers again. */
  async function applied(): Promise<void> {
    if (isSilent || (await settledWithin(answerLimitMs, questions.request()))) return;
    if (!isSilent)
      logger.warn('a data-plane process does not say that it has changes; they are not waited for');
    isSilent = true;
  }

  function serveFeed(): void {
    if (!snapshotWanted || links === undefined || isCut) return;
    snapshotWanted = false;
    if (feed !== undefined) {
      feed.requestSnapshot();
      return;
    }
    feed = links.createFeed();
    const listener: RulesetFeedListener = {
      onSnapshot: ({ version, redirects, pages }) =>
        send({
          type: 'snapshot',
          snapshot: { version, redirects: [...redirects], ...(pages !== undefined && { pages: [...pages] }) },
        }),
      onDelta: (delta) => send({ type: 'delta', delta }),
      onHead: (version) => send({ type: 'head', version }),
      onProblem: (problem) => send({ type: 'feed-problem', problem }),
      applied,
    };
    feed.start(listener, known);
  }

  return {
    connect(newLinks) {
      const isOther = newLinks !== links;
      links = newLinks;
      if (isOther && feed !== undefined) {
        feed.stop();
        feed = undefined;
        // The worker has applied changes since its start.
        known = undefined;
        snapshotWanted = true;
      }
      serveFeed();
    },
    requestSnapshot(newKnown) {
      snapshotWanted = true;
      known = newKnown;
      serveFeed();
    },
    takeBatch(id, encoded) {
      if (links?.sink === undefined) {
        send({ type: 'hit-batch-answer', id, error: 'the control plane does not take hits yet' });
        return;
      }
      links.sink.deliver(encoded).then(
        () => send({ type: 'hit-batch-answer', id }),
        (error: unknown) => {
          logger.warn({ err: error }, 'a batch of hits could not be stored; the worker will offer it again');
          send({ type: 'hit-batch-answer', id, error: 'the batch could not be stored' });
        },
      );
    },
    takeReport: (report) => links?.takeReport(report),
    takeApplied() {
      isSilent = false;
      settleApplied?.();
    },
    cut() {
      isCut = true;
      settleApplied?.();
      feed?.stop();
    },
  };
}
