import { isLocalName } from './domain-verification.js';
import type { VerificationOutcome } from './verification-outcome.js';
import { zoneOf } from './zone.js';

export interface Instructions {
  readonly title: string;
  readonly steps: readonly { readonly step: number; readonly description: string }[];
}

/** Returns the remaining steps for the owner of `domain` after the outcome `kind`. */
export function instructionsFor(
  kind: VerificationOutcome['kind'],
  domain: string,
  record: { readonly name: string; readonly value: string },
): Instructions {
  if (kind === 'wouldCloseLoop') return numbered('How to break the circle', LOOP_STEPS);
  if (kind === 'verifiedLocally') return numbered('How to try the redirect', [localStep(domain)]);
  if (kind === 'verified' || kind === 'alreadyVerified') {
    return numbered('How to send visitors here', [
      isLocalName(domain) ? localStep(domain) : pointStep(domain),
    ]);
  }
  return numbered(`How to verify ${domain}`, recordSteps(domain, record));
}

const LOOP_STEPS = [
  'Change the destination of this redirect, or of another one in the circle, to a host outside it.',
  'Verify the domain again.',
];

function localStep(domain: string): string {
  return `Open http://${domain.replace('*', 'any')} in a browser on this machine, with the port on which redirects are served.`;
}

function pointStep(domain: string): string {
  return `Point the address records (A, AAAA or CNAME) of ${domain} at the redirect servers, if they do not yet.`;
}

function recordSteps(
  domain: string,
  { name, value }: { readonly name: string; readonly value: string },
): readonly string[] {
  const zone = zoneOf(domain);
  const nameInZone = name === zone ? '@' : name.slice(0, -zone.length - 1);
  return [
    `Open the DNS settings of ${zone} at the provider that runs its name servers.`,
    `Add a record of type TXT with the name ${name}. Where the provider appends ${zone} by itself, enter ${nameInZone}.`,
    `Give it the value ${value}, without quotes, and save it.`,
    `Wait until the record is visible, often a few minutes: dig +short TXT ${name} shows it.`,
    'Verify the domain again. Pending domains are also checked again from time to time.',
  ];
}

function numbered(title: string, descriptions: readonly string[]): Instructions {
  return { title, steps: descriptions.map((description, index) => ({ step: index + 1, description })) };
}
