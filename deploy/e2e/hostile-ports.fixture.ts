import { rm } from 'node:fs/promises';
import { expect, vi } from 'vitest';
import type { Exchange } from './hostile-client.fixture.js';
import type { Aim } from './hostile-request.fixture.js';
import { adminVerdict, apiVerdict, type Verdict, visitorVerdict } from './hostile-verdict.fixture.js';
import { makeDataDir, type Product, startProduct } from './product.fixture.js';

/** A port of the product, with the facts that attackers need. */
export interface Port {
  readonly name: string;
  readonly port: number;
  readonly aim: Aim;
  /** Valid requests, the first of which a well-behaved visitor sends too. */
  readonly valid: readonly [string, ...string[]];
  /** A valid request that costs its server little. */
  readonly cheap: string;
  readonly verdict: Verdict;
  /** Whether the port refuses every faulty head. Node's server accepts some of them by default. */
  readonly isStrict: boolean;
}

/** The product under attack. */
export interface Besieged {
  readonly product: Product;
  readonly token: string;
  /** Its one redirect. Attacks must not change it. */
  readonly redirectId: string;
  readonly visitors: Port;
  readonly api: Port;
  readonly admin: Port;
  end(): Promise<void>;
}

const HOST = 'hostile.localhost';
const DESTINATION = 'https://destination.example';

/** Starts the product without rate limits, which would block most of an attack before it reaches the tested code. */
export async function besiege(): Promise<Besieged> {
  const dataDir = await makeDataDir();
  const product = await startProduct({
    dataDir,
    environment: { DEFAULT_PLAN: 'business', LOG_LEVEL: 'info', RATE_LIMIT_MULTIPLIER: '1000000' },
  });
  const { body } = await product.api<{ id: string }>('POST', '/add-redirect', {
    fromDomain: HOST,
    toDomain: DESTINATION,
    redirectType: 'temporary',
    pathForwarding: true,
    queryForwarding: true,
  });
  await vi.waitFor(async () => expect((await product.visit(HOST, '/')).status).toBe(302));
  const token = product.token ?? '';
  return {
    product,
    token,
    redirectId: body.id,
    visitors: visitorsPort(portOf(product.redirectAddress)),
    api: apiPort(portOf(product.apiAddress), body.id, token),
    admin: adminPort(portOf(product.adminAddress)),
    async end() {
      await product.end('SIGTERM');
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Formats one line for the list of faults. */
export function faultOf(port: Port, what: string, { answers, closed }: Exchange, verdict: string): string {
  const statuses = answers.map(({ statusCode }) => statusCode).join(', ');
  return `${port.name}, ${what}: ${verdict} (${statuses}${closed ? ', closed' : ''})`;
}

function visitorsPort(port: number): Port {
  return {
    name: 'the visitors’ port',
    port,
    aim: { host: HOST, target: '/' },
    valid: [
      head('GET /path/%20?query=%C3%A9&x', HOST, 'User-Agent: Mozilla/5.0', 'Accept-Language: de,en;q=0.5'),
      `${head('POST /form', HOST, 'Content-Length: 5', 'X-Forwarded-For: 192.0.2.1')}hello`,
      `${head('PUT /chunks', HOST, 'Transfer-Encoding: chunked')}5\r\nhello\r\n0\r\n\r\n`,
    ],
    cheap: head('GET /', HOST),
    verdict: visitorVerdict(DESTINATION),
    isStrict: true,
  };
}

function apiPort(port: number, redirectId: string, token: string): Port {
  const host = 'api.localhost';
  const authorization = `Authorization: Bearer ${token}`;
  const json = 'Content-Type: application/json';
  const body = '{"fromDomain":"mutant.localhost","toDomain":"https://m.example/a?b=c","samplingRate":0.5}';
  const period = 'interval=hour&start=2026-01-01&end=2026-01-02';
  return {
    name: 'the API',
    port,
    aim: { host, target: '/healthz' },
    valid: [
      head(`GET /redirects/${redirectId}`, host, authorization),
      head(`GET /analytics/redirect/${redirectId}/stats/time?${period}`, host, authorization),
      `${head('POST /add-redirect', host, authorization, json, `Content-Length: ${body.length}`)}${body}`,
      `${head('POST /verify-domain', host, authorization, json, 'Transfer-Encoding: chunked')}1a\r\n{"domain":"x.localhost"   }\r\n0\r\n\r\n`,
      head('GET /docs/json', host, 'Origin: https://evil.example'),
    ],
    cheap: head('GET /get-redirects/me', host),
    verdict: apiVerdict,
    isStrict: true,
  };
}

function adminPort(port: number): Port {
  const host = 'admin.localhost';
  return {
    name: 'the admin port',
    port,
    aim: { host, target: '/healthz' },
    valid: [head('GET /readyz', host), head('GET /metrics?x=y', host)],
    cheap: head('GET /readyz', host),
    verdict: adminVerdict,
    isStrict: false,
  };
}

function head(requestLine: string, host: string, ...headers: string[]): string {
  return [`${requestLine} HTTP/1.1`, `Host: ${host}`, ...headers, '', ''].join('\r\n');
}

function portOf(address: string): number {
  return Number(new URL(address).port);
}
