import { expect, it } from 'vitest';
import { describeRedisError } from './redis-options.js';

const coded = (code: string, message: string) => Object.assign(new Error(message), { code });

it.each([
  [
    new Error('WRONGPASS invalid username-password pair or user is disabled.'),
    /^REDIS_URL has a user name or password that Redis refuses \(WRONGPASS .*\): correct it$/,
  ],
  [new Error('NOAUTH HELLO must be called'), /^REDIS_URL has a user name or password that Redis refuses/],
  [
    coded('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1'),
    /^REDIS_URL names a server that cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:1 \(start the server/,
  ],
  [coded('SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate'), /NODE_EXTRA_CA_CERTS/],
  [new Error("Stream isn't writeable and enableOfflineQueue options is false"), /^Redis cannot be reached$/],
  [new Error("OOM command not allowed when used memory > 'maxmemory'."), /^OOM command not allowed/],
  [new Error('Command timed out'), /^REDIS_URL names a server that does not answer within 2 s$/],
  ['a text', /^Redis cannot be reached$/],
])('a failure of Redis is one line for a log: %s', (error, told) => {
  expect(describeRedisError(error)).toMatch(told);
});
