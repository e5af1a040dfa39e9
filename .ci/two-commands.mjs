// Follows the README on a machine that has only Node and npm: `npm install`, `npm start`, one redirect, one
// visit, Ctrl-C. Removes node_modules, dist and data first.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import http from 'node:http';

const START_TIMEOUT_MS = 120_000;
const VISIT_TIMEOUT_MS = 10_000;

for (const folder of ['node_modules', 'dist', 'data']) rmSync(folder, { recursive: true, force: true });
execFileSync('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], {
  stdio: 'inherit',
});

// Ctrl-C reaches all processes of a terminal's foreground group.
const product = spawn('npm', ['start'], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
let output = '';
for (const stream of [product.stdout, product.stderr]) stream.on('data', (bytes) => (output += bytes));
const exited = once(product, 'exit');

async function until(what, limitMs, isMet) {
  for (const endMs = Date.now() + limitMs; Date.now() < endMs; ) {
    if (await isMet()) return;
    if (product.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${what} did not happen; npm start printed:\n${output}`);
}

function visit(port, host) {
  return new Promise((resolve, reject) => {
    const request = http.get({ host: '127.0.0.1', port, path: '/hello', headers: { host } }, (response) => {
      response.resume();
      resolve({ status: response.statusCode, location: response.headers.location });
    });
    request.on('error', reject);
  });
}

try {
  await until('the start', START_TIMEOUT_MS, () => output.includes('Stop with Ctrl-C.'));
  const printed = (label) => new RegExp(`^ {2}${label} +(\\S+)`, 'm').exec(output)?.[1];
  const created = await fetch(`${printed('API')}/add-redirect`, {
    method: 'POST',
    headers: { authorization: `Bearer ${printed('Access token')}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      fromDomain: 'demo.localhost',
      toDomain: 'https://example.com',
      pathForwarding: true,
    }),
  });
  if (created.status !== 201)
    throw new Error(`the redirect was answered ${created.status}: ${await created.text()}`);
  const port = new URL(printed('Redirects')).port;
  await until('the visit', VISIT_TIMEOUT_MS, async () => {
    const { status, location } = await visit(port, 'demo.localhost');
    return status === 301 && location === 'https://example.com/hello';
  });
} finally {
  if (product.exitCode === null) process.kill(-product.pid, 'SIGINT');
  await exited;
}
if (output.includes('"level":50')) throw new Error(`npm start logged errors:\n${output}`);
if (![0, 130].includes(product.exitCode)) throw new Error(`Ctrl-C ended npm start with ${product.exitCode}`);
console.log('npm install, npm start, a redirect, a visit and Ctrl-C: all as the README says');
