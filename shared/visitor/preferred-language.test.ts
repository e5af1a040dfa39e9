import { expect, it } from 'vitest';
import { preferredLanguage } from './preferred-language.js';

it.each([
  ['de', 'de'],
  ['de-CH,de;q=0.9,en;q=0.8', 'de-CH'],
  ['en;q=0.5,fr;q=0.9,de;q=0.7', 'fr'],
  ['en,fr', 'en'],
  ['en;q=0.8, fr;q=0.8', 'en'],
  ['EN-us', 'EN-us'],
  ['zh-Hant-TW', 'zh-Hant-TW'],
  ['es-419;q=1.000', 'es-419'],
  ['*,en;q=0.1', 'en'],
  ['*', ''],
  ['en;q=0', ''],
  ['en;q=0,fr;q=0.001', 'fr'],
  ['en;q=2,fr;q=0.1', 'fr'],
  ['en;q=abc,fr;q=0.1', 'fr'],
  ['en ; Q=0.3 , fr', 'fr'],
  [',, ,fr', 'fr'],
  ['<script>,1.2.3.4', ''],
  ['en_US,fr;q=0.2', 'fr'],
  ['', ''],
])('of %j prefers %j', (header, language) => {
  expect(preferredLanguage(header)).toBe(language);
});
