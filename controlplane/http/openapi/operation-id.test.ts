import { expect, it } from 'vitest';
import { deriveOperationId } from './names.js';

it.each([
  ['GET', '/', 'getRoot'],
  ['GET', '/redirects', 'listRedirects'],
  ['POST', '/redirects', 'createRedirect'],
  ['GET', '/redirects/:id', 'getRedirect'],
  ['PATCH', '/redirects/:id', 'updateRedirect'],
  ['DELETE', '/redirects/:id', 'deleteRedirect'],
  ['POST', '/redirects/:id/restore', 'restoreRedirect'],
  ['GET', '/redirects/:id/versions', 'listRedirectVersions'],
  ['GET', '/redirects/:id/versions/:version', 'getRedirectVersion'],
  ['POST', '/redirects/:id/paths', 'createRedirectPath'],
  ['PUT', '/redirects/:id/draft', 'putRedirectDraft'],
  ['POST', '/verify-domain', 'verifyDomain'],
  ['GET', '/analytics/time-series', 'getAnalyticsTimeSeries'],
])('%s %s is named %3$s', (method, url, name) => {
  expect(deriveOperationId(method, url)).toBe(name);
});
