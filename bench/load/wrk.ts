import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { packageRoot } from '../../shared/config/package-root.js';
import type { ChildProcesses } from '../harness/child-processes.js';
import { withinTime } from '../harness/time-limit.js';
import type { SentRequest } from '../traffic/ask.js';
import { BROWSER_HEADERS } from '../traffic/bench-request.js';
import type { LoadGenerator, LoadOptions, LoadResult } from './load-generator.js';

const SCRIPT = path.join(packageRoot(), 'bench', 'load', 'wrk.lua');
const EXTRA_TIME_MS = 60_000;

/** wrk(1): one core of it saturates one core of any server here. */
export const wrk: LoadGenerator = {
  name: 'wrk',
  async run(processes: ChildProcesses, options: LoadOptions): Promise<LoadResult> {
    const file = path.join(options.workFolder, 'requests.txt');
    await writeFile(file, options.requests.map(lineOf).join(''));
    const launched = await processes.launch(
      'wrk',
      [
        ...['--threads', '1', '--connections', String(options.connections)],
        ...['--duration', `${options.seconds}s`, '--timeout', '5s', '--latency', '--script', SCRIPT],
        ...Object.entries(BROWSER_HEADERS).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
        `http://127.0.0.1:${options.port}`,
        file,
      ],
      { cores: options.cores, isBatch: true },
    );
    const limitMs = options.seconds * 1000 + EXTRA_TIME_MS;
    const code = await withinTime(launched.ended, limitMs, 'a run of wrk');
    const printed = /^RESULT (.+)$/m.exec(launched.output())?.[1];
    if (code !== 0 || printed === undefined)
      throw new Error(`wrk ended with ${code}: ${launched.complaints()}`);
    return readResult(printed);
  },
};

function lineOf({ host, target, headers = {} }: SentRequest): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${[host, target, ...fields].join('\t')}\n`;
}

interface PrintedResult {
  readonly completed: number;
  readonly durationUs: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly failed: number;
}

function readResult(printed: string): LoadResult {
  const result: PrintedResult = JSON.parse(printed);
  if (result.failed > 0) throw new Error(`${result.failed} requests of wrk failed`);
  return {
    completed: result.completed,
    requestsPerSecond: result.completed / (result.durationUs / 1e6),
    p50Ms: result.p50Us / 1000,
    p99Ms: result.p99Us / 1000,
  };
}
