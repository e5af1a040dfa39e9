import { readUrl } from '../../../shared/process/read-url.js';
import { lengthFault } from './domain-name.js';

export interface Destination {
  /** The URL exactly as its owner wrote it, except for a removed trailing slash. */
  readonly destination: string;
  /** Its host in the form of a redirect's domain: lower-case ASCII, no port, no trailing dot. */
  readonly host: string;
}

export type DestinationResult =
  | ({ readonly ok: true } & Destination)
  | { readonly ok: false; readonly message: string };

export interface DestinationOptions {
  /** Removes slashes at the end of the path, because forwarded paths begin with one. */
  readonly pathForwarding: boolean;
}

export const MAX_DESTINATION_LENGTH = 2048;

const ACCEPTED = 'Give an absolute http or https URL, such as https://www.example.com/welcome.';

/**
 * Reads the destination of a redirect. The URL standard's parser only checks it; the text itself stays as given. With
 * path forwarding the path loses its trailing slashes, also before a query or a fragment
 * (`https://x.example/base/?a=1` becomes `https://x.example/base?a=1`).
 *
 * @returns the destination with its normalised host, or a message that names the fault and what would be accepted
 */
export function parseDestination(input: string, options: DestinationOptions): DestinationResult {
  const text = input.trim();
  const match = /^https?:\/\/([^/?#]*)([^?#]*)(.*)$/i.exec(text);
  const fault = textFault(text) ?? authorityFault(match?.[1]);
  if (fault !== null) return refused(fault);
  const host = normalisedHost(text);
  if (host === null) return refused('has a host or a port that is not valid');
  const hostFault = host.startsWith('[') ? null : lengthFault(host);
  if (hostFault !== null) return refused(`has a host that ${hostFault}`);
  return { ok: true, destination: options.pathForwarding ? withoutTrailingSlash(text) : text, host };
}

function refused(fault: string): DestinationResult {
  return { ok: false, message: `The destination ${fault}. ${ACCEPTED}` };
}

function textFault(text: string): string | null {
  if (text === '') return 'is empty';
  if (text.length > MAX_DESTINATION_LENGTH) return `is longer than ${MAX_DESTINATION_LENGTH} characters`;
  if (/[\s\p{Cc}\p{Cs}]/u.test(text)) {
    return 'has a space or a control character inside (a space in a URL is written %20)';
  }
  return null;
}

function authorityFault(authority: string | undefined): string | null {
  if (authority === undefined) return 'does not begin with http:// or https://';
  if (authority === '') return 'has no host after its scheme';
  // Browsers treat a backslash as a slash and other clients do not, so they would go to different hosts.
  if (authority.includes('\\')) return 'has a backslash before its path';
  if (/[{}]/.test(authority))
    return 'has a placeholder in its host; placeholders are filled in after the host only';
  return authority.includes('@') ? 'has user information before its host' : null;
}

function normalisedHost(text: string): string | null {
  return readUrl(text)?.hostname.replace(/\.$/, '') ?? null;
}

function withoutTrailingSlash(text: string): string {
  const pathEnd = text.search(/[?#]|$/);
  let end = pathEnd;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end) + text.slice(pathEnd);
}
