import http from 'node:http';
import { expect, it } from 'vitest';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { isNginxInstalled, startNginx } from './nginx.fixture.js';
import { startForTest, withDataDir } from './product.fixture.js';
import { createRedirect, createRule, redirectTo } from './rules.fixture.js';

const HOST = 'behind.localhost';
/** nginx connects from this address; visitors use other loopback addresses. */
const ENVIRONMENT = { TRUSTED_PROXIES: '127.0.0.1', CLIENT_IP_HEADER: 'X-Real-IP' };
const FORGED = { 'x-real-ip': '127.0.0.2', 'x-forwarded-for': '127.0.0.2', 'x-forwarded-proto': 'https' };

const proxyTo = (target: string, scheme: string) => `proxy_pass ${target};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Real-IP $remote_addr;
      proxy_set_header X-Forwarded-Proto ${scheme};`;

interface Asked {
  /** The address of the visitor. */
  readonly from: string;
  readonly path?: string;
  readonly headers?: http.OutgoingHttpHeaders;
}

function ask(origin: string, { from, path = '/', headers = {} }: Asked): Promise<http.IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    const options = { localAddress: from, agent: false, headers: { host: HOST, ...headers } };
    http
      .get(origin + path, options, (response) => {
        response.resume();
        response.once('end', () => resolve(response.headers));
      })
      .once('error', reject);
  });
}

it.skipIf(!isNginxInstalled && processEnvironment().REQUIRE_SERVICES !== '1')(
  'behind nginx, visitors and callers have the address that it names, and cookies are Secure under TLS',
  { timeout: 120_000 },
  () =>
    withDataDir(async (dataDir) => {
      const product = await startForTest({ dataDir, environment: ENVIRONMENT });
      const { redirectAddress, apiAddress } = product;
      const plain = await startNginx(proxyTo(redirectAddress, '$scheme'));
      const endsTls = await startNginx(proxyTo(redirectAddress, 'https'));
      const api = await startNginx(proxyTo(apiAddress, '$scheme'));
      const id = await createRedirect(product, HOST);
      await createRule(product, id, {
        name: 'second',
        conditions: [{ attribute: 'ip_address', operator: 'equals', value: '127.0.0.2' }],
        action: redirectTo('https://second.example/'),
      });
      const variants = ['red', 'blue'].map((name) => ({ name, percentage: 50, url: 'https://ab.example/' }));
      await createRule(product, id, {
        name: 'landing pages',
        type: 'ab_experiment',
        action: { type: 'ab_test', variants },
      });

      expect((await ask(plain, { from: '127.0.0.2' })).location).toBe('https://second.example/');
      for (const forged of [{}, FORGED]) {
        const { location, ...headers } = await ask(plain, { from: '127.0.0.3', headers: forged });
        expect(location).toBe('https://ab.example/');
        expect(headers['set-cookie']?.[0]).not.toContain('Secure');
        const direct = await ask(redirectAddress, { from: '127.0.0.3', headers: forged });
        expect(direct.location).toBe('https://ab.example/');
        expect(direct['set-cookie']?.[0]).not.toContain('Secure');
      }
      expect((await ask(endsTls, { from: '127.0.0.3' }))['set-cookie']?.[0]).toMatch(/; Secure$/);

      const remainingOf = async (from: string) =>
        Number((await ask(api, { from, path: '/user/plans', headers: FORGED }))['x-ratelimit-remaining']);
      const [first, second, other] = [
        await remainingOf('127.0.0.4'),
        await remainingOf('127.0.0.4'),
        await remainingOf('127.0.0.5'),
      ];
      expect([second, other]).toEqual([first - 1, first]);
    }),
);
