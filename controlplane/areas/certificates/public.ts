/** Exports of this area for other areas and the composition root. */
export { checkAuthorities } from './acme/check-authorities.js';
export { type CertificateRecord, CertificateSchema } from './certificate-schema.js';
export { type Certificates, createCertificates } from './certificates.js';
