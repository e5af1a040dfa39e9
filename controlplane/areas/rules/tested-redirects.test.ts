import { expect, it } from 'vitest';
import { createRegexGuard } from '../../../shared/rules/regex-guard.js';
import type { RedirectDefinition } from '../../../shared/ruleset/redirect-definition.js';
import { createTestedRedirects } from './rule-test-service.js';

const redirect: RedirectDefinition = {
  id: 'one',
  host: 'one.example',
  destination: 'https://new.example',
  redirectType: 'permanent',
  pathForwarding: false,
  queryForwarding: false,
  samplingRate: 1,
};

it('a redirect is compiled once as long as it is the same', () => {
  const testedRedirectOf = createTestedRedirects(createRegexGuard());
  const first = testedRedirectOf(redirect);
  expect(testedRedirectOf({ ...redirect })).toBe(first);
  const changed = testedRedirectOf({ ...redirect, redirectType: 'temporary' });
  expect(changed.compiled.routeOf(undefined).statusCode).toBe(302);
  expect(testedRedirectOf({ ...redirect, id: 'two' }).compiled.id).toBe('two');
  expect(testedRedirectOf({ ...redirect, redirectType: 'temporary' })).toBe(changed);
});
