import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import type { VerificationOutcome } from './verification-outcome.js';
import { VerificationReportSchema, verificationRecord, verificationReport } from './verification-report.js';

const DOMAIN = 'shop.example.com';
const NAME = '_waymark.shop.example.com';
const VALUE = 'waymark-verify=0123456789abcdef';
const CHECKED_AT = new Date('2026-11-05T10:20:30.400Z');

/** Every outcome, whether it verifies, and the required content of its detail. */
const OUTCOMES: readonly (readonly [VerificationOutcome, boolean, RegExp])[] = [
  [{ kind: 'verified', name: NAME, found: [{ name: NAME, value: VALUE }] }, true, /_waymark\.shop/],
  [{ kind: 'verifiedLocally', found: [] }, true, /localhost/],
  [{ kind: 'alreadyVerified', found: [{ name: NAME, value: VALUE }] }, true, /nothing to do/],
  [
    { kind: 'wouldCloseLoop', path: [DOMAIN, 'b.example', DOMAIN] },
    false,
    /shop\.example\.com → b\.example → shop\.example\.com/,
  ],
  [
    { kind: 'wrongValue', name: NAME, found: [{ name: NAME, value: 'waymark-verify=old' }] },
    false,
    /"waymark-verify=old", but "waymark-verify=0123456789abcdef" is expected/,
  ],
  [{ kind: 'recordMissing', name: DOMAIN, found: [] }, false, /no TXT record/],
  [{ kind: 'domainMissing', name: NAME, found: [] }, false, /registered/],
  [{ kind: 'serverFailure', name: NAME, found: [] }, false, /DNSSEC/],
  [{ kind: 'refused', name: NAME, found: [] }, false, /declined/],
  [{ kind: 'malformedAnswer', name: NAME, found: [] }, false, /format/],
  [{ kind: 'timedOut', name: NAME, found: [] }, false, /did not answer/],
  [{ kind: 'unreachable', name: NAME, found: [] }, false, /side of this service/],
];

const report = (outcome: VerificationOutcome) => verificationReport(DOMAIN, VALUE, outcome, CHECKED_AT);

describe('the verification report', () => {
  const ajv = new Ajv();
  addFormats.default(ajv);
  const matchesSchema = ajv.compile(VerificationReportSchema);

  it.each(OUTCOMES)(
    'of %j (verified: %s, telling %s) says whether it verified, what to do, and fits its schema',
    (outcome, isVerified, detail) => {
      const body = report(outcome);
      expect(matchesSchema(body), JSON.stringify(matchesSchema.errors)).toBe(true);
      expect(body.isVerified).toBe(isVerified);
      expect(body.status.success).toBe(isVerified);
      expect(body.status.detail).toMatch(detail);
      expect(body.instructions.steps.map(({ step }) => step)).toEqual(
        body.instructions.steps.map((_, index) => index + 1),
      );
      expect(body.instructions.steps).not.toEqual([]);
    },
  );

  it('has its own words for each outcome', () => {
    for (const part of ['summary', 'detail'] as const) {
      const texts = OUTCOMES.map(([outcome]) => report(outcome).status[part]);
      expect(new Set(texts).size).toBe(OUTCOMES.length);
    }
  });

  it('has the same members whatever the outcome is', () => {
    const members = OUTCOMES.map(([outcome]) => {
      const body = report(outcome);
      return [Object.keys(body), Object.keys(body.dnsRecords), Object.keys(body.required)];
    });
    for (const other of members) expect(other).toEqual(members[0]);
  });

  it.each([
    ['example.com', true],
    ['example.co.uk', true],
    ['someone.github.io', true],
    ['demo.localhost', true],
    ['www.example.com', false],
    ['a.b.example.co.uk', false],
  ])('says whether %s is a root domain: %s', (domain, isRootDomain) => {
    const body = verificationReport(domain, VALUE, { kind: 'verifiedLocally', found: [] }, CHECKED_AT);
    expect(body.dnsRecords.isRootDomain).toBe(isRootDomain);
  });

  it('has exactly the documented members', () => {
    const found = [{ name: NAME, value: 'waymark-verify=old' }];
    const { status, instructions, ...rest } = report({ kind: 'wrongValue', name: NAME, found });
    expect(Object.keys(status)).toEqual(['success', 'title', 'summary', 'detail']);
    expect(Object.keys(instructions)).toEqual(['title', 'steps']);
    expect(rest).toEqual({
      domain: DOMAIN,
      isVerified: false,
      required: {
        recordType: 'TXT',
        name: NAME,
        value: VALUE,
        action: `Change the TXT record at ${NAME} to ${VALUE}`,
      },
      found: ['waymark-verify=old'],
      dnsRecords: {
        type: 'TXT',
        name: NAME,
        addresses: ['waymark-verify=old'],
        isRootDomain: false,
        isVerified: false,
      },
      checkedAt: '2026-11-05T10:20:30.400Z',
    });
  });

  it.each([
    ['example.com', 'example.com', '_waymark'],
    ['shop.example.co.uk', 'example.co.uk', '_waymark.shop'],
    ['me.github.io', 'me.github.io', '_waymark'],
    ['www.shop.internal', 'shop.internal', '_waymark.www'],
  ])('for %s tells what to enter in the zone %s: %s', (domain, zone, entered) => {
    const outcome = { kind: 'recordMissing', name: domain, found: [] } as const;
    const { instructions } = verificationReport(domain, VALUE, outcome, CHECKED_AT);
    expect(instructions.steps[1]?.description).toBe(
      `Add a record of type TXT with the name _waymark.${domain}. Where the provider appends ${zone} by itself, enter ${entered}.`,
    );
  });
});

describe('the verification record', () => {
  it('stands below the domain', () => {
    expect(verificationRecord(DOMAIN, VALUE)).toEqual({ recordType: 'TXT', name: NAME, value: VALUE });
  });

  it('stands at the domain when no name fits below it', () => {
    const longDomain = `${`${'a'.repeat(61)}.`.repeat(4)}test`;
    expect(verificationRecord(longDomain, VALUE).name).toBe(longDomain);
  });
});
