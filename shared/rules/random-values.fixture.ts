import type { Attribute, SingleTextAttribute } from './attributes.js';
import type { ConditionValue, RuleCondition } from './rule-definition.js';

/** Texts that often break comparisons, keys and encodings. */
const HOSTILE = ['__proto__', 'constructor', '007', 'e\u0301', 'é', '😀', 'İ', 'a.b*c', 'x'.repeat(300)];

/** Visitors' values of an attribute. They are few, so that rules match often. */
export const KNOWN: Readonly<Record<SingleTextAttribute, readonly string[]>> = {
  country: ['DE', 'FR', 'US', 'AT'],
  region: ['Bavaria', 'bavaria', 'Île-de-France', ...HOSTILE],
  city: ['Paris', 'Paris 7e', 'Köln', ...HOSTILE],
  device_type: ['mobile', 'tablet', 'desktop', 'smarttv'],
  device_brand: ['Apple', 'Samsung', 'apple', ...HOSTILE],
  device_model: ['iPhone', 'iPad', 'SM-G991B', ...HOSTILE],
  browser_name: ['Chrome', 'Chrome WebView', 'Mobile Safari', ...HOSTILE],
  browser_version: ['17', '17.0', '17.4', '17.10', '120.0.6099.71', '9007199254740993.1', '17.x'],
  os_name: ['iOS', 'Android', 'Mac OS', ...HOSTILE],
  os_version: ['10', '10.15', '10.15.7', '9', 'XP', '9.0.0.0', '10.'],
  referrer: ['https://news.example/a?b=1#c', 'https://News.example/', 'android-app://x', ...HOSTILE],
  language: ['en', 'en-US', 'EN-gb', 'de-CH-1996', 'zh-Hant-TW', 'enx'],
  url_path: ['/', '/a', '/a/b', '/A/', '/caf%C3%A9', '/%F0%9F%98%80', '/a%20b', '/%23', '/x%'],
  user_agent: ['Mozilla/5.0 (iPhone)', 'curl/8.5.0', 'mozilla/5.0', ...HOSTILE],
};

/** Addresses of visitors. */
export const ADDRESSES = [
  '192.0.2.1',
  '192.0.2.255',
  '10.0.0.1',
  '255.255.255.255',
  '2001:db8::1',
  '2001:db8::',
  '::1',
];

/** Domains of a visitor's referrer: its host and the domains above. */
export const REFERRER_DOMAINS = [
  ['news.example'],
  ['blog.news.example', 'news.example'],
  ['a.blog.news.example', 'blog.news.example', 'news.example'],
  ['social.example'],
  ['news.social.example', 'social.example'],
  ['xn--bcher-kva.example'],
  ['192.0.2.1'],
];

/** Values of a query parameter. */
export const QUERY_VALUES = [
  '',
  '5',
  '05',
  '5.0',
  '-3',
  '+7',
  '.5',
  '0x10',
  'Infinity',
  'NaN',
  'abc',
  ' 5',
  '5a',
];

/** Query parameters that many rules name; two differ only in case. */
export const PARAMS = ['q', 'Q', '__proto__', 'é&='];

/** Query parameters that few rules name. */
export const RARE_PARAMS = ['r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8'];

/** Time zones of rules; one zone in two spellings. */
export const TIME_ZONES = ['UTC', 'Europe/Berlin', 'europe/BERLIN', 'Asia/Kathmandu'];

const HOURS = [0, 23, 9, 17, '9', '17', '0'];
const DAYS = [0, 6, 1, 5, '1', '6'];
const WORDS_AND_NUMBERS = [5, '5', '5.0', '05', -3, '0.5', 7, 0, 'abc', 'NaN', '16'];

/** Values of conditions. All operators of an attribute accept them, so every combination is valid. */
export const ASKED: Record<Attribute, readonly ConditionValue[]> = {
  ...KNOWN,
  country: [...KNOWN.country, 'CH'],
  browser_version: ['17', '17.4', '17.0', '17.10', '120.0.6099.71', '120', '9007199254740992.9', '17.x', '1'],
  os_version: ['10', '10.15', '10.15.7', '9', '9.0', 'XP', '10.15.07'],
  referrer_domain: [...new Set(REFERRER_DOMAINS.flat()), 'NEWS.example', 'Blog.News.example'],
  hour_of_day: HOURS,
  day_of_week: DAYS,
  language: ['en', 'EN', 'en-us', 'de', 'de-ch', 'zh-Hant-TW', 'zh-hant', 'fr'],
  url_path: [...KNOWN.url_path, '/caf%c3%a9', '/café', '/😀', '/a b', '/#'],
  query_param: WORDS_AND_NUMBERS,
  ip_address: [...ADDRESSES, '2001:DB8:0::1', '2001:0db8:0:0:0:0:0:1', '0:0:0:0:0:0:0:1'],
};

export const ADDRESS_RANGES: readonly NonNullable<RuleCondition['value']>[] = [
  '192.0.2.0/24',
  '192.0.2.1/32',
  '192.0.2.0/31',
  '0.0.0.0/0',
  '128.0.0.0/1',
  '10.0.0.1-192.0.2.1',
  '10.0.0.2-192.0.2.254',
  ['192.0.2.2', '255.255.255.255'],
  ['10.0.0.1', '10.0.0.1'],
  '2001:db8::/32',
  '2001:DB8::/128',
  '::/0',
  '::1-2001:db8::',
  ['2001:db8::1', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
];

/** Parts of visitors' texts, for patterns. */
export const FRAGMENTS = [
  'a',
  'e',
  '5',
  '.',
  'x',
  '/',
  'Par',
  'pple',
  'example',
  'oto__',
  'é',
  '😀',
  '%C3',
  '5.0',
  'b*c',
];
