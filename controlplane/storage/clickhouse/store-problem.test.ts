import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { ConfigError } from '../../../shared/config/environment.js';
import { openMigratedStore } from './migrate.js';
import { openStoreInBackground } from './open-store-in-background.js';

const logger = pino({ level: 'silent' });

/** ClickHouse's HTTP interface as it answers every statement with one error. */
async function refusingServer(code: number, name: string): Promise<string> {
  const answer: RequestListener = (_request, response) => {
    response.writeHead(code === 516 ? 403 : 404, { 'X-ClickHouse-Exception-Code': String(code) });
    response.end(`Code: ${code}. DB::Exception: waymark: it is refused. (${name}) (version 26.7.1.1)`);
  };
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://waymark:s3cret@127.0.0.1:${(server.address() as AddressInfo).port}/waymark`;
}

const refusals = [
  [
    516,
    'AUTHENTICATION_FAILED',
    /^CLICKHOUSE_URL has a user name or password that ClickHouse refuses \(.*\): .+$/,
  ],
  [81, 'UNKNOWN_DATABASE', /^CLICKHOUSE_URL names a database that does not exist \(.*\): create it .+$/],
  [497, 'ACCESS_DENIED', /^CLICKHOUSE_URL names a user who may not make tables there \(.*\): grant .+$/],
] as const;

it.each(refusals)('the refusal %d (%s) names the variable and what to do', async (code, name, message) => {
  const config = { clickhouseUrl: await refusingServer(code, name), dataDir: '' };
  for (const open of [openMigratedStore, openStoreInBackground]) {
    const error = await open(config, logger).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).message).toMatch(message);
    expect((error as ConfigError).message).not.toContain('s3cret');
  }
});
