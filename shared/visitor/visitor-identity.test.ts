import { describe, expect, it } from 'vitest';
import { createVisitorIdentification, rememberVisitors } from './visitor-identity.js';

const SECRET = Buffer.from('a secret of an installation');
const LONG_AGENT = 'x'.repeat(2000);

describe('the visitor identity', () => {
  it('is 16 hexadecimal digits', () => {
    expect(createVisitorIdentification(SECRET)('192.0.2.77', 'Firefox')).toMatch(/^[0-9a-f]{16}$/);
  });

  it.each(['Firefox', '', LONG_AGENT, 'a\u0000b'])(
    'is the same for the same visitor, remembered or not',
    (agent) => {
      const identify = createVisitorIdentification(SECRET);
      const remembering = rememberVisitors(createVisitorIdentification(SECRET));
      const visitorId = identify('192.0.2.77', agent);
      expect(identify('192.0.2.77', agent)).toBe(visitorId);
      expect(remembering('192.0.2.77', agent)).toBe(visitorId);
      expect(remembering('192.0.2.77', agent)).toBe(visitorId);
      expect(remembering('192.0.2.78', agent)).toBe(identify('192.0.2.78', agent));
    },
  );

  it('is the same for a user agent as for as much of it as hits keep', () => {
    const identify = createVisitorIdentification(SECRET);
    const kept = '😀'.repeat(1024);
    const visitorId = identify('192.0.2.77', kept);
    expect(identify('192.0.2.77', `${kept}more`)).toBe(visitorId);
    const cutInside = identify('192.0.2.77', `x${kept}`);
    expect(identify('192.0.2.77', `x${'😀'.repeat(1023)}\ufffd`)).toBe(cutInside);
  });

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:a1b2:c3d4:e5f6:789'],
    ['::ffff:192.0.2.77', '192.0.2.77'],
  ])('is the same for %s and %s', (one, other) => {
    const identify = createVisitorIdentification(SECRET);
    const remembering = rememberVisitors(identify);
    expect(identify(other, 'Firefox')).toBe(identify(one, 'Firefox'));
    expect(remembering(other, 'Firefox')).toBe(remembering(one, 'Firefox'));
    expect(remembering(other, 'Firefox')).toBe(identify(one, 'Firefox'));
  });

  it('differs by /64 of IPv6, and by user agent within one', () => {
    const identify = createVisitorIdentification(SECRET);
    const ids = [
      identify('2001:db8:1:2::1', 'Firefox'),
      identify('2001:db8:1:3::1', 'Firefox'),
      identify('2001:db8:1:2::1', 'Safari'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('differs by address, by user agent, by where the one ends, and by the secret', () => {
    const identify = createVisitorIdentification(SECRET);
    const ids = [
      identify('192.0.2.77', 'Firefox'),
      identify('192.0.2.78', 'Firefox'),
      identify('192.0.2.77', 'Safari'),
      identify('192.0.2.7', '7Firefox'),
      identify('192.0.2.77', LONG_AGENT),
      createVisitorIdentification(Buffer.from('the secret of another one'))('192.0.2.77', 'Firefox'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
