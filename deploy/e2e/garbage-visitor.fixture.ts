import { once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { packageRoot } from '../../shared/config/package-root.js';

/** A request that a visitor repeats, and the required beginning of the answer. */
export interface WellBehavedRequest {
  readonly port: number;
  /** A whole request of HTTP/1.1 without a body. */
  readonly bytes: string;
  readonly expected: string;
  /** Between an answer and the next request. */
  readonly pauseMs: number;
  /** Continues until there are this many answers, even if it is stopped earlier. */
  readonly minAnswers: number;
}

/** Percentiles in milliseconds. */
export interface VisitorReport {
  readonly answers: number;
  /** Answers other than the expected one. */
  readonly wrong: readonly string[];
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/**
 * A visitor who keeps one connection and measures each answer. It runs in a separate thread, so the attackers beside it
 * do not distort the measurement of the server.
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
