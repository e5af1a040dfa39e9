import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDeviceDetection } from './device.js';
import { readUserAgents } from './user-agents.fixture.js';

const NOTHING_KNOWN = {
  type: undefined,
  brand: undefined,
  model: undefined,
  browserName: undefined,
  browserVersion: undefined,
  osName: undefined,
  osVersion: undefined,
};

const corpus = readUserAgents();

describe('a user agent', () => {
  it.each(corpus)('of $group tells $device.type $device.browserName: $agent', ({ agent, device }) => {
    expect(createDeviceDetection()(agent)).toStrictEqual(device);
  });

  it('gives the same result when it is repeated after others', () => {
    const detect = createDeviceDetection();
    for (const { agent } of corpus) detect(agent);
    for (const { agent, device } of corpus) expect(detect(agent)).toStrictEqual(device);
  });

  it('that is empty gives no device', () => {
    expect(createDeviceDetection()('')).toStrictEqual(NOTHING_KNOWN);
  });

  it('is judged by its first 500 characters', () => {
    const detect = createDeviceDetection();
    const filler = 'x'.repeat(500);
    expect(detect(`Firefox/124.0 ${filler}`).browserName).toBe('Firefox');
    expect(detect(`${filler} Firefox/124.0`)).toStrictEqual(NOTHING_KNOWN);
  });

  it('may be anything', () => {
    const detect = createDeviceDetection();
    const words = fc.constantFrom(...corpus.flatMap(({ agent }) => agent.split(' ')));
    const mixture = fc.array(fc.oneof(words, fc.string({ unit: 'binary' })), { maxLength: 60 });
    fc.assert(
      fc.property(mixture, (parts) => {
        for (const fact of Object.values(detect(parts.join(' ')))) expect(fact).not.toBe('');
      }),
    );
  });
});

describe('a user agent made to be slow', () => {
  // Without a guard each text of the first two kinds takes a tenth of a second or more.
  it.each([
    ['Naver', (n: number) => `naver(${'11111.'.repeat(80)}${n}`],
    ['Naver, closed too early', (n: number) => `naver()${'11111.'.repeat(80)}${n}`],
    ['Naver, again and again', (n: number) => `${'naver(1.'.repeat(40)}${'1.'.repeat(80)}${n}`],
    ['Archos', (n: number) => `archos ${'9'.repeat(480)}${n}`],
    ['Android', (n: number) => `${'droid ;'.repeat(70)}${n}`],
  ])('of %s is done with at once', (_name, agent) => {
    const detect = createDeviceDetection();
    const start = performance.now();
    for (let n = 0; n < 60; n++) detect(agent(n));
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it('is still read up to where that begins', () => {
    const agent = `Mozilla/5.0 (X11; Linux x86_64) Firefox/124.0 naver(${'1.'.repeat(200)}`;
    expect(createDeviceDetection()(agent)).toMatchObject({ browserName: 'Firefox', osName: 'Linux' });
  });
});
