import fc from 'fast-check';
import { RESPONSE_HEADERS, type RedirectOptions } from './redirect-options.js';

const time = fc.nat({ max: 8.64e15 });
const text = fc.string({ unit: 'binary', maxLength: 40 });

/** Any valid combination of options. */
export const redirectOptions: fc.Arbitrary<RedirectOptions> = fc.record(
  {
    statusCode: fc.constantFrom(307 as const, 308 as const),
    startsAt: time,
    endsAt: time,
    afterEnd: fc.oneof(fc.constant({ statusCode: 410 as const }), fc.record({ url: fc.webUrl() })),
    notFound: fc.record({ url: fc.webUrl() }),
    responseHeaders: fc.dictionary(
      fc.constantFrom(...RESPONSE_HEADERS),
      fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) }),
    ),
    appendQuery: fc.dictionary(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }), text, {
      maxKeys: 5,
    }),
    clickIdParam: fc.stringMatching(/^[A-Za-z0-9_.~-]{1,64}$/),
    gone: fc.constant(true as const),
    httpsMode: fc.constantFrom('upgrade' as const, 'off' as const),
    hsts: fc.record({ maxAge: fc.nat(), includeSubDomains: fc.boolean(), preload: fc.boolean() }),
    certificate: fc.record({
      fingerprint: fc.stringMatching(/^[0-9a-f]{64}$/),
      notAfter: time,
    }),
    namedCertificates: fc.dictionary(
      fc.stringMatching(/^[a-z0-9-]{1,20}\.example$/),
      fc.record({ fingerprint: fc.stringMatching(/^[0-9a-f]{64}$/), notAfter: time }),
      { minKeys: 1, maxKeys: 3 },
    ),
    paths: fc.record(
      {
        salt: fc.nat({ max: 2 ** 32 - 1 }),
        pageBits: fc.integer({ min: 1, max: 9 }),
        shapes: fc.array(fc.constantFrom('S', 'LP', 'LLS'), { minLength: 1, maxLength: 3 }),
        ignoreCase: fc.constant(true as const),
        strictSlash: fc.constant(true as const),
        unmatched: fc.constantFrom('not_found' as const, 'gone' as const),
      },
      { requiredKeys: ['salt'] },
    ),
  },
  { requiredKeys: [] },
);
