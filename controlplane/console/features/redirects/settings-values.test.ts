import type { Redirect } from '@waymark/client';
import { expect, it } from 'vitest';
import { patchOf, settingsOf } from './settings-values';

const redirect = (preload: boolean) =>
  ({
    ...{
      fromDomain: 'old.example.com',
      toDomain: 'https://new.example',
      statusCode: 301,
      tags: [],
      note: '',
    },
    ...{ startsAt: null, endsAt: null, afterEnd: null, responseHeaders: {}, appendQuery: {} },
    hsts: { maxAge: 600, includeSubDomains: true, preload },
  }) as unknown as Redirect;

it('sends HSTS preloading only after the user has typed the host', () => {
  const former = redirect(false);
  const values = { ...settingsOf(former), hstsPreload: true };
  expect(() => patchOf(values, former)).toThrow('Type old.example.com to allow preloading');
  expect(patchOf({ ...values, hstsPreloadHost: ' old.example.com ' }, former)).toEqual({
    hsts: { maxAge: 600, includeSubDomains: true, preload: true },
  });
});

it('needs no confirmation for HSTS preloading that was permitted before', () => {
  const former = redirect(true);
  expect(patchOf({ ...settingsOf(former), note: 'new' }, former)).toEqual({ note: 'new' });
});
