/** Exports of this area for other areas and the composition root. */
export { MAX_DESTINATION_LENGTH, parseDestination } from './destination-url.js';
export { findDnsServers } from './dns-servers.js';
export { parseDomainOrWildcard, parseFromDomain, zoneOf, zoneRecordName } from './domain-name.js';
export { createDomainVerifier, type DomainVerifier, isLocalName } from './domain-verification.js';
export { isVerified, type VerificationOutcome, type VerificationResult } from './verification-outcome.js';
export {
  VerificationRecordSchema,
  type VerificationReport,
  VerificationReportSchema,
  verificationRecord,
  verificationReport,
} from './verification-report.js';
