import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AddressServer, startAddressServer } from './address-server.fixture.js';
import { createCertificateAuthority } from './certificate.fixture.js';
import { createFindAddresses } from './host-addresses.js';
import { isPublicAddress } from './public-address.js';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.fixture.js';
import { createWebhookSender, type WebhookSenderDeps } from './webhook-sender.js';

let receiver: WebhookReceiver;
let names: AddressServer;
beforeAll(async () => {
  [receiver, names] = await Promise.all([startWebhookReceiver(), startAddressServer()]);
});
afterAll(() => Promise.all([receiver.close(), names.close()]));

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const never = new AbortController().signal;

function send(url: string, deps: Partial<WebhookSenderDeps> = {}, signal = never) {
  const sender = createWebhookSender({
    findAddresses: createFindAddresses([names.address]),
    mayConnectTo: () => true,
    ...deps,
  });
  return sender({ url, secret, id: 'evt_1', payload: '{"type":"domain.verified","data":"ü"}' }, signal);
}

describe('a message', () => {
  test('is taken by the verification of Standard Webhooks, and by no other secret or body', async () => {
    expect(await send(receiver.url('/signed?tenant=7'))).toEqual({ responseCode: 204, error: null });
    const [{ headers, body } = expect.fail()] = receiver.messagesOn('/signed?tenant=7');
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': 'evt_1' });
    expect(new Webhook(secret).verify(body, headers)).toEqual({ type: 'domain.verified', data: 'ü' });
    const other = new Webhook(`whsec_${Buffer.alloc(32, 8).toString('base64')}`);
    expect(() => other.verify(body, headers)).toThrow();
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
    expect(() => new Webhook(secret).verify(body, { ...headers, 'webhook-id': 'evt_2' })).toThrow();
  });

  test('goes where it is sent, and not on to where a redirect leads', async () => {
    receiver.on('/moved', (response) => response.writeHead(307, { location: '/elsewhere' }).end());
    expect(await send(receiver.url('/moved'))).toEqual({ responseCode: 307, error: null });
    expect(receiver.messagesOn('/elsewhere')).toEqual([]);
  });

  test('is done with an answer without end as soon as that is too long', async () => {
    const cut = new Promise<void>((resolve) => {
      receiver.on('/flood', (response) => {
        response.writeHead(200);
        const flood = () => {
          while (response.write('x'.repeat(65_536)));
        };
        response.on('drain', flood).on('close', resolve);
        flood();
      });
    });
    expect(await send(receiver.url('/flood'))).toEqual({ responseCode: 200, error: null });
    await cut;
  });

  test.each([
    ['does not answer', () => {}],
    ['answers with half a header', (socket: NodeJS.WritableStream | null) => socket?.write('HTTP/1.1 200 O')],
  ])('waits for somebody who %s only so long', async (what, answer) => {
    const path = `/${what.replaceAll(' ', '-')}`;
    receiver.on(path, (response) => void answer(response.socket));
    expect(await send(receiver.url(path), { timeoutMs: 100 })).toEqual({
      responseCode: null,
      error: 'timed_out',
    });
  });

  test('has arrived when its answer begins, also if that breaks off', async () => {
    receiver.on('/cut', (response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('a beginning', () => response.socket?.end());
    });
    expect(await send(receiver.url('/cut'))).toEqual({ responseCode: 200, error: null });
  });

  test.each([
    ['cuts the connection', (socket: { destroy(): void; end(text: string): void }) => socket.destroy()],
    ['speaks no HTTP', (socket: { end(text: string): void }) => socket.end('hello\r\n\r\n')],
  ])('that somebody gets who %s has not arrived', async (what, answer) => {
    const path = `/${what.replaceAll(' ', '-')}`;
    receiver.on(path, (response) => answer(response.socket!));
    expect(await send(receiver.url(path))).toEqual({ responseCode: null, error: 'connection_failed' });
  });

  test('that is answered with a change of protocol ends there', async () => {
    receiver.on('/upgrade', ({ socket }) =>
      socket?.write('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    );
    expect(await send(receiver.url('/upgrade'))).toMatchObject({ error: 'connection_failed' });
  });

  test('is not sent without TLS to a URL that wants it', async () => {
    const before = receiver.messages.length;
    expect(await send(receiver.url().replace('http:', 'https:'))).toEqual({
      responseCode: null,
      error: 'connection_failed',
    });
    expect(receiver.messages).toHaveLength(before);
  });

  test('that is called off rejects, so that it counts for nothing', async () => {
    receiver.on('/held', () => called.abort(new Error('stopping')));
    const called = new AbortController();
    await expect(send(receiver.url('/held'), {}, called.signal)).rejects.toThrow('stopping');
  });
});

describe('over TLS', () => {
  const authority = createCertificateAuthority();
  let secure: WebhookReceiver;
  beforeAll(async () => {
    secure = await startWebhookReceiver(authority.issue('secure.example'));
    for (const name of ['secure.example', 'other.example']) names.set(name, ['127.0.0.1']);
  });
  afterAll(() => secure.close());
  const sendTo = (host: string, authorities?: readonly string[]) =>
    send(`https://${host}:${secure.port}/`, authorities && { authorities });

  test('a message goes to the address that was checked when its certificate has the name', async () => {
    expect(await sendTo('secure.example', [authority.cert])).toEqual({ responseCode: 204, error: null });
    const [{ headers, body } = expect.fail()] = secure.messages;
    expect(headers.host).toBe(`secure.example:${secure.port}`);
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'domain.verified' });
  });

  test.each<[string, string, string[] | undefined]>([
    ['another name', 'other.example', [authority.cert]],
    ['an address', '127.0.0.1', [authority.cert]],
    ['a name that somebody else vouches for', 'secure.example', [createCertificateAuthority().cert]],
    ['a name that nobody known vouches for', 'secure.example', undefined],
  ])('a message to %s is not sent', async (_what, host, authorities) => {
    const before = secure.messages.length;
    expect(await sendTo(host, authorities)).toEqual({ responseCode: null, error: 'connection_failed' });
    expect(secure.messages).toHaveLength(before);
  });
});

describe('the host of an endpoint', () => {
  const allowed = { mayConnectTo: (address: string) => address === '127.0.0.1' };
  const hooksAt = (name: string) => `http://${name}:${receiver.port}/${name}`;
  const refused = { responseCode: null, error: 'address_refused' };

  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0',
    'localhost',
    'a.localhost',
    'LOCALHOST.',
  ])('is refused as %s where only public addresses are allowed', async (host) => {
    const before = receiver.messages.length;
    expect(await send(`http://${host}:${receiver.port}/`, { mayConnectTo: isPublicAddress })).toEqual(
      refused,
    );
    expect(receiver.messages).toHaveLength(before);
  });

  test('is found through the name server', async () => {
    names.set('hooks.example', ['127.0.0.1']);
    expect(await send(hooksAt('hooks.example'), allowed)).toEqual({ responseCode: 204, error: null });
    const [{ headers } = expect.fail()] = receiver.messagesOn('/hooks.example');
    expect(headers.host).toBe(`hooks.example:${receiver.port}`);
  });

  test('is asked for once: the address that was checked is the one that is connected to', async () => {
    names.set('rebinding.example', ['127.0.0.1'], ['127.0.0.2']);
    expect(await send(hooksAt('rebinding.example'), allowed)).toEqual({ responseCode: 204, error: null });
    expect(names.asked('rebinding.example')).toBe(1);
  });

  test('is checked anew each time it is sent to', async () => {
    names.set('turned.example', ['127.0.0.1'], ['127.0.0.2']);
    expect(await send(hooksAt('turned.example'), allowed)).toEqual({ responseCode: 204, error: null });
    expect(await send(hooksAt('turned.example'), allowed)).toEqual(refused);
  });

  test('is refused when any of its addresses is', async () => {
    names.set('mixed.example', ['127.0.0.1', '10.0.0.1']);
    expect(await send(hooksAt('mixed.example'), allowed)).toEqual(refused);
    expect(receiver.messagesOn('/mixed.example')).toEqual([]);
  });

  test('that is no name, or has no address, is not resolved', async () => {
    names.set('empty.example', []);
    for (const name of ['empty.example', 'unknown.example']) {
      expect(await send(hooksAt(name), allowed)).toEqual({ responseCode: null, error: 'name_not_resolved' });
    }
  });
});
