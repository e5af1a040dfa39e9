import { once } from 'node:events';
import { createServer } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { connectionProblem, isTlsProblem } from './connection-problem.js';

const withCode = (code: string, message: string) => Object.assign(new Error(message), { code });

it.each([
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /NODE_EXTRA_CA_CERTS/],
  ['SELF_SIGNED_CERT_IN_CHAIN', /NODE_EXTRA_CA_CERTS/],
  ['CERT_HAS_EXPIRED', /expired/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /another name/],
])('of TLS with the code %s is told with what to do', (code, told) => {
  const error = withCode(code, 'what OpenSSL says.');
  expect(connectionProblem(error)).toMatch(/^what OpenSSL says \(.*\)$/);
  expect(connectionProblem(error)).toMatch(told);
  expect(isTlsProblem(error)).toBe(true);
});

it('is found in a cause and among the addresses that were tried', () => {
  const refused = withCode('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1');
  const inside = new Error('outer', { cause: new AggregateError([refused]) });
  expect(connectionProblem(inside)).toBe(
    'connect ECONNREFUSED 127.0.0.1:1 (start the server, or correct the address)',
  );
  expect(isTlsProblem(refused)).toBe(false);
});

it('without a known code is one line of what was thrown', () => {
  expect(connectionProblem(new Error('first line\n    at somewhere'))).toBe('first line');
  expect(connectionProblem('text')).toBe('text');
});

it('of a server that does not speak TLS is told as such', async () => {
  const server = createServer((socket) => socket.end('no TLS here\r\n')).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const [error] = await once(connectTls({ port, host: '127.0.0.1' }), 'error').catch((e) => [e]);
  expect(connectionProblem(error)).toMatch(/does not speak TLS/);
});
