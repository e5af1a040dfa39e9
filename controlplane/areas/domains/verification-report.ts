import { type Static, Type } from 'typebox';
import { zoneOf } from './domain-name.js';
import { recordNames } from './domain-verification.js';
import { isVerified, MAX_RECORDS, type VerificationOutcome } from './verification-outcome.js';
import { instructionsFor, STATUS_TEXTS } from './verification-texts.js';

/** The DNS record that proves ownership, in the form of a redirect's `verification`. */
export const VerificationRecordSchema = Type.Object(
  {
    recordType: Type.Literal('TXT'),
    name: Type.String({ description: 'Full name of the TXT record.' }),
    value: Type.String({ description: 'Exact value of the record, without quotes.' }),
  },
  { title: 'VerificationRecord' },
);
export type VerificationRecord = Readonly<Static<typeof VerificationRecordSchema>>;

/** The body of `POST /verify-domain`. */
export const VerificationReportSchema = Type.Object(
  {
    domain: Type.String(),
    isVerified: Type.Boolean(),
    status: Type.Object({
      success: Type.Boolean(),
      title: Type.String(),
      summary: Type.String({ description: 'Result in one sentence.' }),
      detail: Type.String({ description: 'Reason, and what to do.' }),
    }),
    required: Type.Object({
      ...VerificationRecordSchema.properties,
      action: Type.String({ description: 'Instruction for the record.' }),
    }),
    found: Type.Array(Type.String(), {
      maxItems: MAX_RECORDS,
      description:
        'Values of the TXT records found, verification records first. Control characters are escaped.',
    }),
    dnsRecords: Type.Object(
      {
        type: Type.Literal('TXT'),
        name: Type.String({ description: 'Full name of the required record.' }),
        addresses: Type.Array(Type.String(), { maxItems: MAX_RECORDS, description: 'Same as `found`.' }),
        isRootDomain: Type.Boolean({
          description: 'Whether the domain is registrable itself and no subdomain.',
        }),
        isVerified: Type.Boolean(),
      },
      { description: 'The required record and the records in DNS.' },
    ),
    instructions: Type.Object({
      title: Type.String(),
      steps: Type.Array(Type.Object({ step: Type.Integer({ minimum: 1 }), description: Type.String() })),
    }),
    checkedAt: Type.String({ format: 'date-time' }),
  },
  { title: 'VerificationReport' },
);
export type VerificationReport = Static<typeof VerificationReportSchema>;

/** Returns the record that proves `domain`; `value` is the whole value, including `waymark-verify=`. */
export function verificationRecord(domain: string, value: string): VerificationRecord {
  return { recordType: 'TXT', name: recordNames(domain)[0] ?? domain, value };
}

/** Explains the outcome of a verification and the next steps to its caller. */
export function verificationReport(
  domain: string,
  expectedValue: string,
  outcome: VerificationOutcome,
  checkedAt: Date,
): VerificationReport {
  const record = verificationRecord(domain, expectedValue);
  const found = 'found' in outcome ? outcome.found : [];
  const values = found.map(({ value }) => value);
  const text = STATUS_TEXTS[outcome.kind]({
    domain,
    expectedValue,
    recordName: record.name,
    decidedAt: 'name' in outcome ? outcome.name : record.name,
    found,
    loopPath: 'path' in outcome ? outcome.path : [],
  });
  const { title, steps } = instructionsFor(outcome.kind, domain, record);
  return {
    domain,
    isVerified: isVerified(outcome),
    status: { success: isVerified(outcome), ...text },
    required: { ...record, action: actionFor(outcome, record) },
    found: values,
    dnsRecords: {
      type: record.recordType,
      name: record.name,
      addresses: values,
      isRootDomain: zoneOf(domain) === domain,
      isVerified: isVerified(outcome),
    },
    instructions: { title, steps: [...steps] },
    checkedAt: checkedAt.toISOString(),
  };
}

function actionFor(outcome: VerificationOutcome, { name, value }: VerificationRecord): string {
  if (isVerified(outcome)) return 'Nothing to do: the domain is verified.';
  if (outcome.kind === 'wouldCloseLoop') return 'Leave the record as it is and change the destination.';
  if (outcome.kind === 'wrongValue') return `Change the TXT record at ${outcome.name} to ${value}`;
  return `Add a TXT record at ${name} with the value ${value}`;
}
