import type { Attribute } from '../../../shared/rules/attributes.js';

interface CategoryTexts {
  readonly name: string;
  readonly description: string;
  /** An emoji, to be printed as it is. */
  readonly icon: string;
  /** Name of an icon of the Lucide set. */
  readonly iconName: string;
}

/** Groups of attributes, in the order in which they are shown. */
export const CATEGORIES = {
  geography: {
    name: 'Geography',
    description: 'Where the address of the visitor is',
    icon: '🌍',
    iconName: 'globe',
  },
  device: {
    name: 'Device',
    description: 'What the visitor holds or sits at',
    icon: '📱',
    iconName: 'smartphone',
  },
  browser: { name: 'Browser', description: 'The program that asks', icon: '🧭', iconName: 'app-window' },
  system: { name: 'Operating system', description: 'What the device runs', icon: '💻', iconName: 'cpu' },
  traffic: {
    name: 'Traffic source',
    description: 'Where the visitor comes from',
    icon: '🔗',
    iconName: 'share-2',
  },
  time: { name: 'Time', description: 'When the visitor asks', icon: '🕐', iconName: 'clock' },
  language: {
    name: 'Language',
    description: 'What the visitor prefers to read',
    icon: '🗣️',
    iconName: 'languages',
  },
  url: { name: 'URL', description: 'What the visitor asks for', icon: '🌐', iconName: 'link' },
  technical: { name: 'Technical', description: 'The request itself', icon: '⚙️', iconName: 'code' },
} as const satisfies Record<string, CategoryTexts>;

export type Category = keyof typeof CATEGORIES;

interface AttributeTexts {
  readonly category: Category;
  readonly name: string;
  readonly description: string;
}

/** Names and descriptions of attributes. `shared/rules/attributes.ts` says how they are compared. */
export const ATTRIBUTE_TEXTS: Readonly<Record<Attribute, AttributeTexts>> = {
  country: {
    category: 'geography',
    name: 'Country',
    description: 'ISO 3166-1 alpha-2 code, upper-case, of the IP address',
  },
  region: {
    category: 'geography',
    name: 'Region',
    description: 'English name of the state or region; known with a city database',
  },
  city: {
    category: 'geography',
    name: 'City',
    description: 'English name of the city; known with a city database',
  },
  device_type: { category: 'device', name: 'Device type', description: 'Kind of device, such as mobile' },
  device_brand: { category: 'device', name: 'Device brand', description: 'Manufacturer of the device' },
  device_model: { category: 'device', name: 'Device model', description: 'Model of the device' },
  browser_name: { category: 'browser', name: 'Browser', description: 'Name of the browser' },
  browser_version: {
    category: 'browser',
    name: 'Browser version',
    description: 'Compared segment by segment as numbers: 9.2 is less than 10',
  },
  os_name: { category: 'system', name: 'Operating system', description: 'Name of the operating system' },
  os_version: {
    category: 'system',
    name: 'Operating system version',
    description: 'Compared segment by segment as numbers: 9.2 is less than 10',
  },
  referrer: { category: 'traffic', name: 'Referrer', description: 'Whole URL of the page the visitor left' },
  referrer_domain: {
    category: 'traffic',
    name: 'Referrer domain',
    description:
      'Host of the referrer without www., and each domain above it down to the registrable one (eight at most, those nearest to it): example.com matches news.example.com and every other host below it, news.example.com itself and what is below it. One of them satisfies a positive operator; a negative one needs all. Case does not matter. To be compared as a whole, https://, www. and a slash at the end are dropped; what is no host, or has domains of others below it (co.uk), is refused',
  },
  hour_of_day: {
    category: 'time',
    name: 'Hour of day',
    description: '0 to 23, by the clock of the time zone that `timezone` names; UTC without it',
  },
  day_of_week: {
    category: 'time',
    name: 'Day of week',
    description: '0 (Sunday) to 6 (Saturday), in the time zone that `timezone` names; UTC without it',
  },
  language: {
    category: 'language',
    name: 'Language',
    description: 'Preferred language; a value matches the whole tag or its primary part: de matches de-AT',
  },
  url_path: {
    category: 'url',
    name: 'URL path',
    description:
      'Path of the request as it is sent, without the query; escapes (%C3%A9) may be written in either case, and left to us (é)',
  },
  query_param: {
    category: 'url',
    name: 'Query parameter',
    description: 'Decoded value of the query parameter that `param` names; its name is case-sensitive',
  },
  user_agent: { category: 'technical', name: 'User agent', description: 'Whole User-Agent header' },
  ip_address: {
    category: 'technical',
    name: 'IP address',
    description: 'IPv4 or IPv6 address of the visitor',
  },
};
