import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { PathPages } from '../../../shared/paths/path-matcher.js';
import type { RedirectDefinition } from '../../../shared/ruleset/redirect-definition.js';
import type { JudgedSlice, Judging, StartJudging } from './judging.js';
import type { NeededFacts } from './needed-columns.js';
import type { TallyResult } from './tally.js';

/** Data that the thread begins with. */
export interface JudgingOrder {
  readonly definition: RedirectDefinition;
  /** Pages of the table of paths; an absent page is empty. */
  readonly pages: readonly Uint8Array[] | undefined;
}

export type JudgingCall = 'result' | Parameters<Judging['judge']>;

const THREAD = new URL('./judging-thread.js', import.meta.url);

/**
 * Judges in a thread of low priority, so requests to this process do not wait for it.
 *
 * @throws when the thread cannot start
 */
export const startJudging: StartJudging = async (definition, pages, signal) => {
  const workerData: JudgingOrder = { definition, pages: pagesOf(definition, pages) };
  const thread = new Worker(THREAD, { workerData });
  const ended = new Promise<never>((_, reject) => {
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('the thread that judges visits has ended')));
  });
  // It can reject before a caller awaits it.
  ended.catch(() => undefined);
  const answer = async <Answer>(): Promise<Answer> => {
    const [message] = await Promise.race([once(thread, 'message', { signal }), ended]);
    return message;
  };
  function ask<Answer>(call: JudgingCall, transfer: readonly ArrayBuffer[] = []): Promise<Answer> {
    const answered = answer<Answer>();
    thread.postMessage(call, transfer);
    return answered;
  }
  const end = async () => {
    await thread.terminate();
  };

  try {
    return {
      facts: await answer<NeededFacts>(),
      judge: (blocks, slice, facts) => ask<JudgedSlice>([blocks, slice, facts], ownMemoryOf(blocks)),
      result: () => ask<TallyResult>('result'),
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
};

/** Returns the buffer behind `blocks`, to be transferred. Small ones share a buffer, so they are copied. */
function ownMemoryOf({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

function pagesOf({ paths }: RedirectDefinition, pages: PathPages | undefined): Uint8Array[] | undefined {
  if (paths === undefined || pages === undefined) return undefined;
  return Array.from({ length: 2 ** (paths.pageBits ?? 0) }, (_, page) =>
    pages.open(page) ? pages.bytes.subarray(pages.start) : new Uint8Array(),
  );
}
