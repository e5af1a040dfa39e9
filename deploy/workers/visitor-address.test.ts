import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ListenError } from '../../dataplane/http/listen-address.js';
import { visitorAddress } from './visitor-address.js';

const target = (port: number) => ({
  host: '127.0.0.1',
  port,
  hostVariable: 'REDIRECT_HOST',
  portVariable: 'REDIRECT_PORT',
});

async function usedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('a free address is shared with nobody', async () => {
  const address = await visitorAddress(target(0), [process.pid]);
  expect(address).toMatchObject({ host: '127.0.0.1', isShared: false });
  expect(address.port).toBeGreaterThan(0);
});

test.runIf(process.platform === 'linux')('an address of former workers is shared with them', async () => {
  const port = await usedPort();
  expect(await visitorAddress(target(port), [process.pid])).toEqual({
    host: '127.0.0.1',
    port,
    isShared: true,
  });
});

test('an address of anybody else is refused', async () => {
  const port = await usedPort();
  await expect(visitorAddress(target(port), [])).rejects.toThrow(ListenError);
  await expect(visitorAddress(target(port), [1])).rejects.toThrow('the port is in use');
});
