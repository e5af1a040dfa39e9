import { expect, it } from 'vitest';
import { loopbackUrl, reachableUrl } from './reachable-url.js';

it.each([
  { host: '0.0.0.0', forPeople: 'http://localhost:3000', forProcesses: 'http://127.0.0.1:3000' },
  { host: '::', forPeople: 'http://localhost:3000', forProcesses: 'http://[::1]:3000' },
  { host: '::1', forPeople: 'http://[::1]:3000', forProcesses: 'http://[::1]:3000' },
  { host: '192.0.2.1', forPeople: 'http://192.0.2.1:3000', forProcesses: 'http://192.0.2.1:3000' },
])('a listener on $host is reached at $forPeople, and by processes at $forProcesses', (listener) => {
  const address = { host: listener.host, port: 3000 };
  expect(reachableUrl(address)).toBe(listener.forPeople);
  expect(loopbackUrl(address)).toBe(listener.forProcesses);
});
