import type { Attribute } from '../../../shared/rules/attributes.js';

/**
 * @param icon an emoji, shown unchanged
 * @param iconName name of an icon of the Lucide set
 */
const group = (name: string, description: string, icon: string, iconName: string) => ({
  name,
  description,
  icon,
  iconName,
});

/** Groups of attributes, in the order in which they are shown. */
export const CATEGORIES = {
  geography: group('Geography', 'Where the address of the visitor is', '🌍', 'globe'),
  device: group('Device', 'What the visitor holds or sits at', '📱', 'smartphone'),
  browser: group('Browser', 'The program that asks', '🧭', 'app-window'),
  system: group('Operating system', 'What the device runs', '💻', 'cpu'),
  traffic: group('Traffic source', 'Where the visitor comes from', '🔗', 'share-2'),
  time: group('Time', 'When the visitor asks', '🕐', 'clock'),
  language: group('Language', 'What the visitor prefers to read', '🗣️', 'languages'),
  url: group('URL', 'What the visitor asks for', '🌐', 'link'),
  technical: group('Technical', 'The request itself', '⚙️', 'code'),
};

export type Category = keyof typeof CATEGORIES;

const texts = (category: Category, name: string, description: string) => ({ category, name, description });

/** Names and descriptions of attributes. `shared/rules/attributes.ts` says how they are compared. */
export const ATTRIBUTE_TEXTS: Readonly<Record<Attribute, ReturnType<typeof texts>>> = {
  country: texts('geography', 'Country', 'ISO 3166-1 alpha-2 code, upper-case, of the IP address'),
  region: texts('geography', 'Region', 'English name of the state or region; known with a city database'),
  city: texts('geography', 'City', 'English name of the city; known with a city database'),
  device_type: texts('device', 'Device type', 'Kind of device, such as mobile'),
  device_brand: texts('device', 'Device brand', 'Manufacturer of the device'),
  device_model: texts('device', 'Device model', 'Model of the device'),
  browser_name: texts('browser', 'Browser', 'Name of the browser'),
  browser_version: texts(
    'browser',
    'Browser version',
    'Compared segment by segment as numbers: 9.2 is less than 10',
  ),
  os_name: texts('system', 'Operating system', 'Name of the operating system'),
  os_version: texts(
    'system',
    'Operating system version',
    'Compared segment by segment as numbers: 9.2 is less than 10',
  ),
  referrer: texts('traffic', 'Referrer', 'Whole URL of the page the visitor left'),
  referrer_domain: texts(
    'traffic',
    'Referrer domain',
    'Host of the referrer without www., and each domain above it down to the registrable one (eight at most, those nearest to it): example.com matches news.example.com and every other host below it, news.example.com itself and what is below it. One of them satisfies a positive operator; a negative one needs all. Case does not matter. To be compared as a whole, https://, www. and a slash at the end are dropped; what is no host, or has domains of others below it (co.uk), is refused',
  ),
  hour_of_day: texts(
    'time',
    'Hour of day',
    '0 to 23, by the clock of the time zone that `timezone` names; UTC without it',
  ),
  day_of_week: texts(
    'time',
    'Day of week',
    '0 (Sunday) to 6 (Saturday), in the time zone that `timezone` names; UTC without it',
  ),
  language: texts(
    'language',
    'Language',
    'Preferred language; a value matches the whole tag or its primary part: de matches de-AT',
  ),
  url_path: texts(
    'url',
    'URL path',
    'Path of the request as it is sent, without the query; escapes (%C3%A9) may be written in either case, and left to us (é)',
  ),
  query_param: texts(
    'url',
    'Query parameter',
    'Decoded value of the query parameter that `param` names; its name is case-sensitive',
  ),
  user_agent: texts('technical', 'User agent', 'Whole User-Agent header'),
  ip_address: texts('technical', 'IP address', 'IPv4 or IPv6 address of the visitor'),
};
