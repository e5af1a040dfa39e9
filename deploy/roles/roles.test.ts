import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os, { constants } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { packageRoot } from '../../shared/config/package-root.js';

const { SIGUSR2 } = constants.signals;
const FOLDER = path.join(packageRoot(), 'dist', 'deploy', 'roles');
const COMPLETE = {
  DATABASE_URL: 'postgres://waymark:s3cret@127.0.0.1:1/waymark',
  REDIS_URL: 'redis://:s3cret@127.0.0.1:1',
  KAFKA_BROKERS: '127.0.0.1:1',
  CLICKHOUSE_URL: 'http://waymark:s3cret@127.0.0.1:1/waymark',
  SECRET_KEY: 'sixteen characters s3cret',
  BILLING: 'sandbox',
};

function start(role: string, environment: Readonly<Record<string, string>>) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(FOLDER, `${role}.js`)], {
    env: { LOG_LEVEL: 'fatal', API_PORT: '0', INGEST_PORT: '0', ...environment },
    encoding: 'utf8',
    timeout: 120_000,
  });
  return { status, stdout, lines: stderr.split('\n').filter((line) => line !== '') };
}

test.each([
  { role: 'controlplane', needs: ['DATABASE_URL', 'REDIS_URL', 'CLICKHOUSE_URL'] },
  { role: 'dataplane', needs: ['REDIS_URL', 'KAFKA_BROKERS'] },
  { role: 'ingest', needs: ['KAFKA_BROKERS', 'CLICKHOUSE_URL'] },
])('the role $role does not start without what it needs, and says what that is', ({ role, needs }) => {
  const { status, stdout, lines } = start(role, {});
  expect(status).toBe(1);
  expect(stdout).toBe('');
  expect(lines).toEqual(needs.map((name) => expect.stringMatching(`^${name} is required by .*: it takes `)));
});

test.each([
  { role: 'controlplane', names: /^(?:DATABASE|CLICKHOUSE)_URL names a server that cannot be reached/ },
  { role: 'ingest', names: /^CLICKHOUSE_URL names a server that cannot be reached/ },
])('the role $role names the server it cannot begin without, and no password', ({ role, names }) => {
  const { status, lines } = start(role, COMPLETE);
  expect(status).toBe(1);
  expect(lines).toEqual([expect.stringMatching(names)]);
  expect(lines.join()).not.toContain('s3cret');
});

test.each([
  { variable: 'BOOTSTRAP_EMAIL', environment: { BOOTSTRAP_EMAIL: 'notanemail' } },
  { variable: 'DNS_SERVERS', environment: { DNS_SERVERS: '127.0.0.1:53,no-such-name.invalid:53' } },
])(
  'a control plane names a wrong $variable, in one line, before it looks for its servers',
  ({ variable, environment }) => {
    const { status, stdout, lines } = start('controlplane', { ...COMPLETE, ...environment });
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(lines).toEqual([expect.stringMatching(new RegExp(`^${variable} `))]);
  },
);

test('a data plane names ports that collide, in one line', () => {
  const { status, lines } = start('dataplane', { ...COMPLETE, REDIRECT_PORT: '9090' });
  expect(status).toBe(1);
  expect(lines).toEqual([expect.stringMatching(/^REDIRECT_PORT and ADMIN_PORT take different ports/)]);
});

test('a misspelt variable is named with the likely one, also if a required variable is missing because of it', () => {
  const { status, lines } = start('ingest', { ...COMPLETE, KAFKA_BROKERS: '', KAFKA_BROKER: '127.0.0.1:1' });
  expect(status).toBe(1);
  expect(lines).toEqual([
    expect.stringMatching(/^KAFKA_BROKERS is required by ingest/),
    'KAFKA_BROKER is not a variable of Waymark: did you mean KAFKA_BROKERS?',
  ]);
});

test('a data plane that is told to replace its workers during its start does so after it', async () => {
  const DATA_DIR = mkdtempSync(path.join(os.tmpdir(), 'waymark-early-signal-'));
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true }));
  const ports = { REDIRECT_PORT: '0', ADMIN_PORT: '0' };
  const environment = { ...COMPLETE, ...ports, DATA_DIR, LOG_LEVEL: 'info' };
  const dataplane = spawn(process.execPath, [path.join(FOLDER, 'dataplane.js')], { env: environment });
  const ended = once(dataplane, 'close');
  onTestFinished(() => void dataplane.kill('SIGKILL'));
  let said = '';
  for (const stream of [dataplane.stdout, dataplane.stderr]) {
    stream.on('data', (chunk) => {
      said += String(chunk);
    });
  }
  // Send the signal as soon as the process handles it, while most of its code is still being loaded.
  await vi.waitFor(() => expect(catches(dataplane.pid, SIGUSR2)).toBe(true), {
    interval: 1,
  });
  dataplane.kill('SIGUSR2');
  expect(said).toBe('');
  await vi.waitFor(() => expect(said).toContain('the data-plane processes are replaced'));
  expect(said).toMatch(/Waymark data plane is running[\s\S]*the data-plane processes are replaced/);
  dataplane.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

/** Whether a process has a handler for a signal: `SigCgt` in proc(5), a mask in which bit 0 is signal 1. */
function catches(pid: number | undefined, signal: number): boolean {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mask = BigInt(`0x${/^SigCgt:\s+(\w+)$/m.exec(status)?.[1] ?? '0'}`);
  return ((mask >> BigInt(signal - 1)) & 1n) === 1n;
}

test('without SECRET_KEY the key in DATA_DIR is used, with a warning', () => {
  const DATA_DIR = mkdtempSync(path.join(os.tmpdir(), 'waymark-own-key-'));
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true }));
  const { lines } = start('controlplane', { ...COMPLETE, SECRET_KEY: '', DATA_DIR, LOG_LEVEL: 'warn' });
  expect(lines).toContainEqual(expect.stringContaining('give all roles the same SECRET_KEY'));
  expect(lines).toContainEqual(expect.stringMatching(/^(?:DATABASE|CLICKHOUSE)_URL names a server/));
});
