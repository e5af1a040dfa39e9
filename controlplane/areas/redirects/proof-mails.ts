import type { Mail } from '../../mail/mail-transport.js';

export interface MissingProof {
  readonly domain: string;
  /** Name and value of the TXT record. */
  readonly record: { readonly name: string; readonly value: string };
  readonly unverifiedAt: Date;
}

/** Texts of the mails about proofs that are missing. */
export const PROOF_MAILS = {
  missing: (to: string, { domain, record, unverifiedAt }: MissingProof): Mail => ({
    to,
    subject: `The DNS record of ${domain} is missing`,
    text: `We no longer find the TXT record that proves that ${domain} is yours. Visitors are still redirected.

Please add the record again before ${dayOf(unverifiedAt)}:

Name:  ${record.name}
Value: ${record.value}

We look for it every six hours. Without it, the redirect stops working at ${timeOf(unverifiedAt)}. Other domains of yours may be affected too: we send at most one such mail an hour.
`,
  }),

  unverified: (to: string, { domain, record }: Omit<MissingProof, 'unverifiedAt'>): Mail => ({
    to,
    subject: `The redirect of ${domain} has stopped`,
    text: `The TXT record that proves that ${domain} is yours was missing for seven days. Its visitors are no longer redirected.

To start the redirect again, add the record and verify the domain:

Name:  ${record.name}
Value: ${record.value}

Other domains of yours may be affected too: we send at most one such mail an hour.
`,
  }),
};

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** Formats as `2026-11-30 14:05 UTC`. */
function timeOf(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
