import type { RenewalWindow } from './acme/renewal-info.js';
import type { ServedCertificate } from './certificate.js';

/** Renewals of certificates that were issued together are spread over this share of the lifetime. */
const SPREAD = 1 / 30;

/**
 * Returns when to renew: at a random moment of the window that the authority suggests, otherwise when a third of the
 * lifetime is left.
 *
 * @param random from 0 to 1
 */
export function renewalTime(
  { notBefore, notAfter }: Pick<ServedCertificate, 'notBefore' | 'notAfter'>,
  window: RenewalWindow | undefined,
  random: number,
): Date {
  if (window !== undefined) {
    return new Date(window.startMs + random * (window.endMs - window.startMs));
  }
  const lifetimeMs = notAfter.getTime() - notBefore.getTime();
  return new Date(notBefore.getTime() + lifetimeMs * (2 / 3 - SPREAD * random));
}

/**
 * Returns whether a time that was chosen earlier can stay. A random choice is made once per window.
 */
export function fitsWindow(time: Date | null, window: RenewalWindow): time is Date {
  const ms = time?.getTime() ?? Number.NaN;
  return ms >= window.startMs && ms <= window.endMs;
}
