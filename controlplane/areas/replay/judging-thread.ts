import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { bufferPages } from '../../../shared/paths/memory-pages.js';
import { keepStringsQuick } from '../../../shared/process/quick-strings.js';
import { createJudging } from './judging.js';
import type { JudgingCall, JudgingOrder } from './start-judging.js';

/** The thread of `start-judging.ts`. It sends the needed facts first, and then one answer to each call. */
keepStringsQuick();
const { PRIORITY_BELOW_NORMAL } = constants.priority;
// Linux has priorities of threads. Elsewhere this would be the priority of the whole process. Only root may raise it again.
if (process.platform === 'linux' && getPriority() < PRIORITY_BELOW_NORMAL) setPriority(PRIORITY_BELOW_NORMAL);

const { definition, pages } = workerData as JudgingOrder;
const judging = createJudging(
  definition,
  pages && bufferPages(pages.map((page) => Buffer.from(page.buffer, page.byteOffset, page.byteLength))),
);
parentPort?.on('message', (call: JudgingCall) => {
  parentPort?.postMessage(call === 'result' ? judging.result() : judging.judge(...call));
});
parentPort?.postMessage(judging.facts);
