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
