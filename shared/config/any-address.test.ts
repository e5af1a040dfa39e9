import { expect, it } from 'vitest';
import { anyAddress } from './any-address.js';
import { parseControlplaneConfig, parseDataplaneConfig } from './config.js';

const LOOPBACK = { address: '127.0.0.1' };

it.each([
  { where: 'IPv6 is on', interfaces: { lo: [LOOPBACK, { address: '::1' }] }, expected: '::' },
  {
    where: 'IPv6 is off',
    interfaces: { lo: [LOOPBACK], eth0: [{ address: '192.0.2.1' }] },
    expected: '0.0.0.0',
  },
  { where: 'there is no interface', interfaces: {}, expected: '0.0.0.0' },
  {
    where: 'only a network card has IPv6',
    interfaces: { lo: [LOOPBACK], eth0: [{ address: 'fe80::1' }] },
    expected: '0.0.0.0',
  },
])('servers listen on $expected by default where $where', ({ interfaces, expected }) => {
  expect(anyAddress(() => interfaces)).toBe(expected);
});

it('is 0.0.0.0 where the system does not list its interfaces', () => {
  const forbidden = () => {
    throw new Error('uv_interface_addresses returned Unknown system error 13');
  };
  expect(anyAddress(forbidden)).toBe('0.0.0.0');
});

it('is the default of both ports, which a variable replaces', () => {
  expect(parseDataplaneConfig({}).redirectHost).toBe(anyAddress());
  expect(parseControlplaneConfig({}).apiHost).toBe(anyAddress());
  expect(parseDataplaneConfig({ REDIRECT_HOST: '192.0.2.1' }).redirectHost).toBe('192.0.2.1');
});
