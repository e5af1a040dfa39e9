import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../storage/postgres/test-database.fixture.js';
import { createMailQueue } from './mail-queue.js';
import { createSmtpTransport } from './mail-transport.js';
import { startSmtpServer, type TestSmtpServer } from './smtp-server.fixture.js';

let test: TestDatabase;
let smtp: TestSmtpServer;

beforeAll(async () => {
  [test, smtp] = await Promise.all([openTestDatabase(), startSmtpServer()]);
});
afterAll(async () => {
  await smtp.close();
  await test.close();
});

const newQueue = () =>
  createMailQueue({
    database: test.database,
    secrets: { current: Buffer.from('a secret for tests only'), previous: [] },
    transport: createSmtpTransport({ smtpUrl: smtp.url, from: 'mail@waymark.example' }),
    logger: pino({ level: 'silent' }),
  });
const mailTo = (to: string) => ({ to, subject: 'Hello', text: 'Hello' });

it('gives up a mail whose recipient the server refuses for good', async () => {
  const queue = newQueue();
  await queue.enqueue(test.database, mailTo('refused@example.com'));
  await queue.runRound();
  expect(await test.database.query('SELECT 1 FROM mails')).toEqual([]);
});

it('stops within 10 seconds while a server does not answer, and leaves the mail for later', async () => {
  const queue = newQueue();
  await queue.enqueue(test.database, mailTo('slow@example.com'));
  queue.start();
  queue.wake();
  await vi.waitFor(() => expect(smtp.mails).toHaveLength(1), { timeout: 60_000 });
  const [pause] = await test.database.query<{ is_long: boolean }>(
    `SELECT next_attempt_at > now() + interval '60 seconds' AS is_long FROM mails`,
  );
  expect(pause).toEqual({ is_long: true });
  const startedMs = performance.now();
  await queue.stop();
  expect(performance.now() - startedMs).toBeLessThan(10_000);
  expect(await test.database.query('SELECT 1 FROM mails')).toHaveLength(1);
});
