import { once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { packageRoot } from '../../shared/config/package-root.js';

/** What a visitor asks for again and again, and how the answer must begin. */
export interface WellBehavedRequest {
  readonly port: number;
  /** A whole request of HTTP/1.1 without a body. */
  readonly bytes: string;
  readonly expected: string;
  /** Between an answer and the next request. */
  readonly pauseMs: number;
  /** Goes on until there were so many answers, however early it is stopped. */
  readonly minAnswers: number;
}

/** Percentiles in milliseconds. */
export interface VisitorReport {
  readonly answers: number;
  /** What came instead of the expected answer. */
  readonly wrong: readonly string[];
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/**
 * A visitor who keeps one connection and measures each answer, in a thread of its own, so that what is measured
 * is the server and not the attackers beside it.
 */
export function startVisitor(request: WellBehavedRequest): { stop(): Promise<VisitorReport> } {
  const thread = new Worker(
    path.join(packageRoot(), 'dist', 'deploy', 'e2e', 'garbage-visitor-thread.fixture.js'),
    { workerData: request },
  );
  return {
    async stop() {
      thread.postMessage('stop');
      const [report] = (await once(thread, 'message')) as [VisitorReport];
      await thread.terminate();
      return report;
    },
  };
}
