import { describe, expect, it } from 'vitest';
import { createReferrerDomain } from './referrer-domain.js';
import { createReferrerType } from './referrer-type.js';

const domainOf = createReferrerDomain();
const typeOf = createReferrerType();
const type = (referrer: string) => typeOf(referrer, domainOf(referrer) ?? '');

describe('the type of a referrer', () => {
  it.each([
    ['', 'direct'],
    ['https://www.google.com/', 'search'],
    ['https://www.google.co.uk/search?q=x', 'search'],
    ['https://news.google.com/', 'search'],
    ['https://search.yahoo.co.jp/x', 'search'],
    ['https://yandex.com.tr/', 'search'],
    ['http://WWW.BING.COM', 'search'],
    ['https://duckduckgo.com./', 'search'],
    ['android-app://com.google.android.googlequicksearchbox/https/www.google.com', 'search'],
    ['https://l.facebook.com/l.php?u=x', 'social'],
    ['https://t.co/abc', 'social'],
    ['https://out.reddit.com/', 'social'],
    ['https://news.ycombinator.com/item?id=1', 'social'],
    ['android-app://com.linkedin.android/', 'social'],
    ['https://mail.google.com/mail/u/0/', 'email'],
    ['https://outlook.live.com/', 'email'],
    ['https://us3.campaign-archive.com/', 'email'],
    ['android-app://com.google.android.gm/', 'email'],
    ['https://googleads.g.doubleclick.net/', 'paid'],
    ['https://trc.taboola.com/x', 'paid'],
    ['https://docs.google.com/document/d/1', 'website'],
    ['https://blog.example/google.com', 'website'],
    ['https://google.com.evil.example/', 'website'],
    ['https://notfacebook.com/', 'website'],
    ['https://192.0.2.1/', 'website'],
    ['http://localhost/', 'website'],
    ['android-app://org.example.reader/', 'unknown'],
    ['about:blank', 'unknown'],
    ['somewhere', 'unknown'],
    ['https://', 'unknown'],
  ])('of %j is %s', (referrer, expected) => {
    expect(type(referrer)).toBe(expected);
  });
});
