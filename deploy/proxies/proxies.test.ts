import { expect, it, vi } from 'vitest';
import { findProgram } from '../../bench/harness/find-program.js';
import { redirectOf } from '../../dataplane/sync/redirect-definition.fixture.js';
import { temporaryFolder } from '../../dataplane/temporary-folder.fixture.js';
import { visit } from '../../dataplane/tls/tls-dataplane.fixture.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { get, PROXIES, startBehind } from './proxies.fixture.js';

const HOST = 'old.example';
const isRequired = processEnvironment().REQUIRE_SERVICES === '1';

for (const proxy of PROXIES) {
  const program = findProgram(proxy.program, proxy.versionArgument);
  it.skipIf(program === undefined && !isRequired)(
    `${proxy.program} in front, set up as in deploy/proxies/${proxy.file}, ends TLS and says so`,
    async () => {
      const dataDir = await temporaryFolder();
      const { dataplane, ports, authority } = await startBehind(proxy, program ?? proxy.program, HOST, {
        dataDir,
      });
      const hsts = { maxAge: 60, includeSubDomains: false, preload: false };
      dataplane.feed.snapshot(1_700_000_000, 1, [redirectOf(HOST, { httpsMode: 'upgrade', hsts })]);

      const forged = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.1' };
      const plain = await get(ports.http, { host: HOST, ...forged });
      expect(plain.statusCode).toBe(308);
      expect(plain.headers.location).toBe(`https://${HOST}/a?b`);
      const options = { ca: authority.root };
      const ask = () => visit({ port: ports.https, servername: HOST, target: '/a?b', options });
      // The health checks of a proxy may have seen the data plane before it had a ruleset. Such a proxy answers 503 for a while.
      const secure = await vi.waitFor(async () => {
        const answer = await ask();
        expect(answer.statusCode).not.toBe(503);
        return answer;
      }, 10_000);
      expect(secure).toMatchObject({
        authorized: true,
        statusCode: 301,
        headers: { location: 'https://destination.example', 'strict-transport-security': 'max-age=60' },
      });
      expect(dataplane.recorder.hits.map(({ address }) => address)).toEqual(['127.0.0.1']);
    },
  );
}
