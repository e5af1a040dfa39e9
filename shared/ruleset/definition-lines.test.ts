import { expect, it } from 'vitest';
import { isRedirectDefinition } from './definition-lines.js';

const DEFINITION = {
  id: 'rd_1',
  host: 'old.example',
  destination: 'https://new.example',
  redirectType: 'permanent',
  pathForwarding: false,
  queryForwarding: false,
  samplingRate: 1,
};

it.each([undefined, 0, 30, 65_535])('a redirect may keep its hits for %s days', (retentionDays) => {
  expect(isRedirectDefinition({ ...DEFINITION, retentionDays })).toBe(true);
});

it.each([-1, 0.5, 65_536, Number.NaN, '30', null])(
  'a redirect whose hits are kept for %j days is none',
  (retentionDays) => expect(isRedirectDefinition({ ...DEFINITION, retentionDays })).toBe(false),
);
