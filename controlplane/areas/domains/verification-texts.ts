import { zoneOf } from './domain-name.js';
import { isLocalName } from './domain-verification.js';
import type { FoundRecord, VerificationOutcome } from './verification-outcome.js';

export interface StatusText {
  readonly title: string;
  readonly summary: string;
  readonly detail: string;
}

interface TextSubject {
  readonly domain: string;
  readonly expectedValue: string;
  /** Name at which the record should be. */
  readonly recordName: string;
  /** Name whose lookup decided. */
  readonly decidedAt: string;
  readonly found: readonly FoundRecord[];
  /** Hosts of a possible loop, in the order of a visitor's requests. */
  readonly loopPath: readonly string[];
}

const AGAIN = 'Then verify again.';

/** Texts for the owner of the domain by outcome: the finding, and the next step. */
export const STATUS_TEXTS: Readonly<
  Record<VerificationOutcome['kind'], (subject: TextSubject) => StatusText>
> = {
  verified: ({ domain, decidedAt }) => ({
    title: 'Domain verified',
    summary: `${domain} is verified.`,
    detail: `The TXT record at ${decidedAt} holds the expected value. The redirect is active.`,
  }),
  verifiedLocally: ({ domain }) => ({
    title: 'Domain verified',
    summary: `${domain} is verified without a DNS record.`,
    detail: 'Names under .localhost reach only the machine itself, so nobody else can own them.',
  }),
  alreadyVerified: ({ domain }) => ({
    title: 'Domain already verified',
    summary: `${domain} was verified before and stays so.`,
    detail: 'The redirect is active. There is nothing to do, and DNS was not asked again.',
  }),
  wouldCloseLoop: ({ domain, loopPath }) => ({
    title: 'Redirect would lead in a circle',
    summary: `${domain} was not activated: its visitors would be sent round in a circle.`,
    detail: `With this redirect active, visitors would go ${loopPath.join(' → ')}. Change the destination of one of these redirects. ${AGAIN}`,
  }),
  wrongValue: ({ domain, decidedAt, expectedValue, found }) => ({
    title: 'Verification record has another value',
    summary: `A TXT record for ${domain} was found, but it does not hold the expected value.`,
    detail: `The TXT record at ${decidedAt} holds "${valueAt(decidedAt, found)}", but "${expectedValue}" is expected. Replace the value; each redirect has a value of its own. A change can take as long as the old record's TTL to be seen. ${AGAIN}`,
  }),
  recordMissing: ({ domain, recordName }) => ({
    title: 'Verification record not found',
    summary: `DNS holds no verification record for ${domain} yet.`,
    detail: `There is no TXT record with a verification value at ${recordName}, nor at ${domain} itself. Add it. If you have added it already, check its name and allow some time: most changes are seen within minutes, some take hours. ${AGAIN}`,
  }),
  domainMissing: ({ domain, recordName }) => ({
    title: 'Name does not exist in DNS',
    summary: `DNS knows neither ${domain} nor ${recordName} (NXDOMAIN).`,
    detail: `Adding the TXT record makes the name exist. If you have added it already, check the spelling, that the domain is registered, and that its name servers are those where you added the record; a change can take some hours to reach every resolver, a new or moved domain up to two days. ${AGAIN}`,
  }),
  serverFailure: ({ decidedAt }) => ({
    title: 'DNS lookup failed',
    summary: `The DNS lookup of ${decidedAt} failed (SERVFAIL).`,
    detail: `The domain's name servers do not answer properly, or its DNSSEC signatures are not valid. Check that the name servers set at the registrar serve the domain, and that its DS record matches its keys. ${AGAIN}`,
  }),
  refused: ({ decidedAt }) => ({
    title: 'DNS lookup refused',
    summary: `The DNS lookup of ${decidedAt} was refused (REFUSED).`,
    detail: `A DNS server declined to answer for this name. Check that the name servers set at the registrar are configured for the domain. ${AGAIN} If other domains are refused as well, the operator of this service should check its DNS servers.`,
  }),
  malformedAnswer: ({ decidedAt }) => ({
    title: 'DNS answer could not be read',
    summary: `The answer to the DNS lookup of ${decidedAt} is malformed.`,
    detail: `The domain's name servers, or a device between them and this service, send answers that break the DNS format. Check the TXT records of the domain with its DNS provider. ${AGAIN}`,
  }),
  timedOut: ({ decidedAt }) => ({
    title: 'DNS lookup timed out',
    summary: `The DNS lookup of ${decidedAt} got no answer in time.`,
    detail: `The domain's name servers did not answer. Check that they are running and can be reached from outside. ${AGAIN} If they are well, a later attempt may succeed.`,
  }),
  unreachable: ({ domain }) => ({
    title: 'DNS is not reachable',
    summary: `${domain} could not be looked up: this service reaches no DNS server.`,
    detail: `The cause is on the side of this service, not in your DNS records. ${AGAIN} If it goes on, the operator should check the network and the DNS servers of the service.`,
  }),
};

/** The records of a name, the relevant ones first. */
function valueAt(name: string, found: readonly FoundRecord[]): string {
  return found.find((record) => record.name === name)?.value ?? '';
}

interface Instructions {
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
