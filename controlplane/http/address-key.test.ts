import { describe, expect, test } from 'vitest';
import { addressKey } from './caller-address.js';

describe('the rate-limit key of an address', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::9]:4711', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::1:2:3:4:5', '2001:db8:0:1::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
  ])('%s is %s', (address, key) => {
    expect(addressKey(address)).toBe(key);
  });

  test.each(['', 'unknown', '_hidden', '1.2.3', '1.2.3.4.5', '1.2.3.4, 5.6.7.8', 'x'.repeat(10_000)])(
    '%j is nobody',
    (text) => {
      expect(addressKey(text)).toBeUndefined();
    },
  );
});
