import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDnsUpdates } from './dns-updates.js';
import { NAMED, type NameServer, startNameServer } from './name-server.fixture.js';

const ZONE = 'acme.localhost';
const NAME = `_acme-challenge.${ZONE}`;

describe.skipIf(NAMED === undefined)('updates of BIND 9', () => {
  let server: NameServer;

  beforeAll(async () => {
    server = await startNameServer([ZONE]);
  });
  afterAll(() => server.end());

  const change = (action: 'add' | 'remove', value: string, name = NAME) =>
    createDnsUpdates(server.address, server.key).send({ action, zone: ZONE, name, value });

  it('add and remove one record, as nsupdate does, and leave others', async () => {
    await server.nsupdate(`zone ${ZONE}`, `update add ${NAME}. 30 TXT "of-nsupdate"`);
    await change('add', 'one');
    await change('add', 'one');
    await change('add', 'two', NAME.toUpperCase());
    expect((await server.txt(NAME)).sort()).toEqual(['of-nsupdate', 'one', 'two']);
    await change('remove', 'one');
    await change('remove', 'absent');
    expect((await server.txt(NAME)).sort()).toEqual(['of-nsupdate', 'two']);
    await server.nsupdate(`zone ${ZONE}`, `update delete ${NAME}. TXT "two"`);
    await change('remove', 'of-nsupdate');
    expect(await server.txt(NAME)).toEqual([]);
  });

  it('take texts of up to 255 bytes', async () => {
    await change('add', 'x'.repeat(255));
    expect(await server.txt(NAME)).toEqual(['x'.repeat(255)]);
    await change('remove', 'x'.repeat(255));
    await expect(change('add', 'x'.repeat(256))).rejects.toThrow('255 bytes');
  });

  it.each([
    [
      'of another key',
      { name: 'other', secret: Buffer.alloc(32) },
      ZONE,
      /NOTAUTH; the key, its name or a clock/,
    ],
    ['with a wrong secret', { name: 'waymark-test', secret: Buffer.alloc(32) }, ZONE, /NOTAUTH/],
    ['of a zone that takes none', undefined, 'localhost', /REFUSED/],
    ['of a zone that is not there', undefined, 'other.example', /NOTAUTH|NOTZONE/],
  ])('%s are refused, which the message says', async (_what, key, zone, message) => {
    const updates = createDnsUpdates(server.address, key ?? server.key);
    const update = { action: 'add', zone, name: `a.${zone}`, value: 'x' } as const;
    await expect(updates.send(update)).rejects.toThrow(message);
  });

  it('of a server that is away fail', async () => {
    const updates = createDnsUpdates('127.0.0.1:1', server.key);
    const update = { action: 'add', zone: ZONE, name: NAME, value: 'x' } as const;
    await expect(updates.send(update)).rejects.toThrow('127.0.0.1:1 does not answer');
  });
});
