import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ask, requireRedirect } from '../traffic/ask.js';
import type { BenchRequest } from '../traffic/bench-request.js';

/** Rare enough not to disturb the load, and still hundreds of answers per run. */
const PAUSE_MS = 10;

export interface CheckedServer {
  readonly name: string;
  readonly port: number;
  rightLocations(request: BenchRequest): readonly string[];
}

/** Requests random hosts from a server, each over a new connection, because servers close idle ones. */
export interface AnswerCheck {
  /** @throws {WrongAnswerError} */
  check(count: number): Promise<void>;
  /** Checks until `work` has ended. Rejects as soon as either of them fails. */
  checkDuring<T>(work: Promise<T>): Promise<T>;
  /** Number of answers so far. All of them were right. */
  readonly checked: number;
}

export function createAnswerCheck(server: CheckedServer, requests: readonly BenchRequest[]): AnswerCheck {
  let checked = 0;

  async function checkOne(agent: http.Agent): Promise<void> {
    const request = requests[Math.floor(Math.random() * requests.length)];
    if (request === undefined) throw new Error('there are no requests to check');
    const answer = await ask(agent, server.port, request);
    requireRedirect(server.name, request, answer, server.rightLocations(request));
    checked += 1;
  }

  return {
    check: (count) =>
      withConnection(async (agent) => {
        for (let index = 0; index < count; index += 1) await checkOne(agent);
      }),
    checkDuring: (work) =>
      withConnection(async (agent) => {
        let working = true;
        const checking = (async () => {
          while (working) {
            await checkOne(agent);
            await delay(PAUSE_MS);
          }
        })();
        const stopChecking = () => {
          working = false;
        };
        work.then(stopChecking, stopChecking);
        const [result] = await Promise.all([work, checking]);
        return result;
      }),
    get checked() {
      return checked;
    },
  };
}

async function withConnection<T>(work: (agent: http.Agent) => Promise<T>): Promise<T> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  try {
    return await work(agent);
  } finally {
    agent.destroy();
  }
}
