import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { findProgram } from '../../bench/harness/find-program.js';
import { redirectOf } from '../../dataplane/sync/redirect-definition.fixture.js';
import { temporaryFolder } from '../../dataplane/temporary-folder.fixture.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { get, getOnce, PROXIES, startBehind } from './proxies.fixture.js';

const HOST = 'old.example';
const isRequired = processEnvironment().REQUIRE_SERVICES === '1';
/**
 * Length of a minute of the deployed configuration. Set it to 60 to run ten minutes with the deployed times: a proxy that
 * keeps connections for 60 s, and a data plane that keeps them for 75 s.
 */
const MINUTE_SECONDS = 6;
const MINUTES = 10;
const VISITORS = 10;

/** Lets HAProxy keep connections as nginx does, and use them for any visitor. By default it does so more rarely. */
function keepingConnections(text: string): string {
  return text
    .replace('\nbackend waymark\n', '$&  http-reuse always\n')
    .replace(' check port ', ' pool-purge-delay 60s pool-low-conn 1$&');
}

for (const proxy of PROXIES) {
  const program = findProgram(proxy.program, proxy.versionArgument);
  it.skipIf(program === undefined && !isRequired)(
    `behind ${proxy.program}, no visit fails although visits are sparse and connections idle`,
    { timeout: MINUTE_SECONDS * MINUTES * 1_000 + 300_000 },
    async () => {
      const { dataplane, ports } = await startBehind(
        proxy,
        program ?? proxy.program,
        HOST,
        { dataDir: await temporaryFolder(), keepAliveSeconds: MINUTE_SECONDS * 1.25 },
        (text) => keepingConnections(text).replaceAll('60s', `${MINUTE_SECONDS}s`),
      );
      dataplane.feed.snapshot(1_700_000_000, 1, [redirectOf(HOST)]);
      // Some health checks may have seen the data plane before it had a ruleset. The proxy then answers 503 for a while.
      await vi.waitFor(async () => {
        for (let visit = 0; visit < VISITORS; visit += 1)
          expect((await get(ports.http, { host: HOST })).statusCode).toBe(301);
      }, 20_000);

      const endMs = performance.now() + MINUTE_SECONDS * MINUTES * 1_000;
      const answers: unknown[] = [];
      const visitNowAndThen = async (visitor: number) => {
        for (let visit = 0; performance.now() < endMs; visit += 1) {
          // Pauses around the time that a proxy, or the data plane, keeps a connection.
          const share = ((visitor * 7 + visit * 3) % 12) / 10 + 0.3;
          await delay(MINUTE_SECONDS * 1_000 * share);
          const answer = await getOnce(ports.http, { host: HOST }).catch((error: unknown) => error);
          answers.push(answer instanceof Error ? answer : (answer as { statusCode: number }).statusCode);
        }
      };
      await Promise.all(Array.from({ length: VISITORS }, (_, visitor) => visitNowAndThen(visitor)));
      expect(answers.filter((answer) => answer !== 301)).toEqual([]);
      expect(answers.length).toBeGreaterThan(VISITORS * 5);
      // Some connections were reused, and others were not.
      const opened = await dataplane.metric('waymark_connections_total');
      expect(opened).toBeGreaterThan(1);
      expect(opened).toBeLessThan(answers.length);
    },
  );
}
