import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitDestination } from './destination-parts.js';
import { type Forwarding, ForwardingDestination } from './location.js';
import { readLocationCorpus } from './location-corpus.fixture.js';

const corpus = readLocationCorpus();

function destinationOf(destination: string, forwarding: Forwarding) {
  return new ForwardingDestination(splitDestination(destination), forwarding);
}

describe('the corpus', () => {
  it('names every case once', () => {
    const names = corpus.map(({ name }) => name);
    expect(names).toHaveLength(new Set(names).size);
    expect(names.length).toBeGreaterThanOrEqual(140);
  });

  it('expects printable ASCII only, below the scheme and host that the destination names', () => {
    for (const { name, location } of corpus) expect(location, name).toMatch(/^https?:\/\/[!-~]+$/i);
  });

  it.each(corpus)('$group: $name', ({ destination, path, query, location, ...forwarding }) => {
    expect(destinationOf(destination, forwarding).location(path, query)).toBe(location);
  });
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
  fc.string({ unit: fc.constantFrom('/', '?', '#', '&', '%', '.', '\\', ' ', '\r', '\n', 'a', 'é', '😀') }),
);
const anyPath = anyText.map((text) => `/${text}`);
const anyQuery = fc.option(anyText, { nil: undefined });
const safeText = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
});
const forwarding = fc.record({ pathForwarding: fc.boolean(), queryForwarding: fc.boolean() });
const origin = fc.constantFrom('https://new.example', 'http://new.example:8080', 'https://[2001:db8::1]');
const destination = fc.tuple(
  origin,
  anyText.map((text) => (text === '' ? '' : `/${text}`)),
);

describe('a composed location', () => {
  it('contains only printable ASCII, for any destination and request', () => {
    fc.assert(
      fc.property(anyText, forwarding, anyText, anyQuery, (anything, switches, path, query) => {
        for (const text of [
          anything,
          `${anything}://`,
          `https://${anything}`,
          `https://new.example/${anything}`,
        ]) {
          expect(destinationOf(text, switches).location(path, query)).toMatch(/^[!-~]*$/);
        }
      }),
    );
  });

  it('never leaves the scheme and host of the destination', () => {
    fc.assert(
      fc.property(destination, forwarding, anyText, anyQuery, ([base, rest], switches, path, query) => {
        const location = destinationOf(base + rest, switches).location(path, query);
        expect(location.startsWith(base)).toBe(true);
        expect(new URL(location).host).toBe(new URL(base).host);
      }),
    );
  });

  it('is the destination itself for every request when nothing is forwarded', () => {
    const off = { pathForwarding: false, queryForwarding: false };
    fc.assert(
      fc.property(origin, safeText, anyPath, anyQuery, (base, rest, path, query) => {
        expect(destinationOf(`${base}/${rest}`, off).location(path, query)).toBe(`${base}/${rest}`);
      }),
    );
  });

  it('holds path and query byte for byte where a header can', () => {
    const forwardable = safeText.map((text) => text.replaceAll('#', ''));
    fc.assert(
      fc.property(forwardable, forwardable, (text, query) => {
        const path = `/${text.replaceAll('?', '')}`;
        const location = destinationOf('https://new.example/base?own=1#top', {
          pathForwarding: true,
          queryForwarding: true,
        }).location(path, query);
        const expectedPath = path === '/' ? '' : path;
        const expectedQuery = query === '' ? '' : `&${query}`;
        expect(location).toBe(`https://new.example/base${expectedPath}?own=1${expectedQuery}#top`);
      }),
    );
  });

  it('escapes text to what a decoder turns back into it', () => {
    const wellFormed = fc.string({ unit: 'binary' }).filter((text) => text !== '' && !text.includes('%'));
    const forward = destinationOf('https://new.example', {
      pathForwarding: true,
      queryForwarding: false,
    });
    fc.assert(
      fc.property(wellFormed, (text) => {
        const location = forward.location(`/${text}`, undefined);
        expect(decodeURIComponent(location.slice('https://new.example/'.length))).toBe(text);
      }),
    );
  });
});

it('knows the host of a destination in the form in which hosts are looked up', () => {
  const hosts = [
    ['https://New.Example:8443/a', 'new.example'],
    ['https://new.example.', 'new.example'],
    ['https://bücher.example?a', 'xn--bcher-kva.example'],
    ['https://%6eew.example#a', 'new.example'],
    ['http://[2001:DB8::1]:80', '[2001:db8::1]'],
    ['https://new.example\\@other.example', 'new.example'],
    ['https://new.example:8443\\a', 'new.example'],
    ['not a url', 'not a url'],
  ] as const;
  for (const [url, host] of hosts) expect(splitDestination(url).host, url).toBe(host);
});
