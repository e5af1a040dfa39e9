import type { HitOptions } from '../../../ingest/hit-batch.fixture.js';

/** Values of visitors in random traffic, frequent ones first. Empty is unknown. */
const NO_MODEL = { device_brand: '', device_model: '' };
export const AGENTS = [
  { ...NO_MODEL, device_type: 'desktop', os_name: 'Windows', os_version: '11', browser_name: 'Chrome' },
  { ...NO_MODEL, device_type: 'mobile', os_name: 'Android', os_version: '14', browser_name: 'Chrome' },
  {
    ...{ device_brand: 'Apple', device_model: 'iPhone', device_type: 'mobile' },
    ...{ os_name: 'iOS', os_version: '18.1', browser_name: 'Mobile Safari' },
  },
  { ...NO_MODEL, device_type: '', os_name: '', os_version: '', browser_name: '' },
  { ...NO_MODEL, device_type: 'tablet', os_name: 'iOS', os_version: '', browser_name: 'Mobile Safari' },
  { ...NO_MODEL, device_type: 'xr', os_name: 'zeOS', os_version: '2', browser_name: 'Žižala' },
] as const satisfies readonly HitOptions[];

export const PLACES = [
  { country: 'DE', region: 'Bavaria', city: 'Munich' },
  { country: 'US', region: 'Illinois', city: 'Springfield' },
  { country: '', region: '', city: '' },
  { country: 'US', region: 'Missouri', city: 'Springfield' },
  { country: 'AT', region: '', city: 'Vienna' },
  { country: 'US', region: 'Illinois South', city: 'Springfield' },
  { country: 'CZ', region: 'Jihočeský kraj', city: '' },
  { country: 'JP', region: '', city: '' },
] as const satisfies readonly HitOptions[];

/** Coordinates of the cities with a known place. */
export const COORDINATES_OF_CITY: Readonly<Record<string, { latitude: number; longitude: number }>> = {
  Munich: { latitude: 48.1374, longitude: 11.5755 },
  Vienna: { latitude: 48.2085, longitude: 16.3721 },
};

export const REFERRERS = [
  { referrer: '', referrer_domain: '', referrer_type: 'direct' },
  { referrer: 'https://www.google.com/', referrer_domain: 'google.com', referrer_type: 'search' },
  { referrer: 'https://blog.example/a', referrer_domain: 'blog.example', referrer_type: 'website' },
  { referrer: 'https://blog.example/b', referrer_domain: 'blog.example', referrer_type: 'website' },
  { referrer: 'android-app://com.reddit.frontpage/', referrer_domain: '', referrer_type: 'social' },
  { referrer: '', referrer_domain: '', referrer_type: 'email' },
  { referrer: 'https://blog.example/b', referrer_domain: 'blog.example', referrer_type: 'paid' },
  { referrer: 'about:blank', referrer_domain: '', referrer_type: 'unknown' },
  { referrer: 'https://t.co/x', referrer_domain: 't.co', referrer_type: 'social' },
] as const satisfies readonly HitOptions[];

const NONE = { utm_source: '', utm_medium: '', utm_campaign: '', utm_term: '', utm_content: '' };
export const CAMPAIGNS = [
  NONE,
  { ...NONE, utm_source: 'mailing', utm_medium: 'email', utm_campaign: 'spring' },
  { ...NONE, utm_source: 'mailing', utm_medium: 'email', utm_campaign: 'summer' },
  { ...NONE, utm_source: 'ads', utm_medium: 'cpc', utm_term: 'shoes & socks' },
  { ...NONE, utm_content: "léto '26\t50 %" },
] as const satisfies readonly HitOptions[];
