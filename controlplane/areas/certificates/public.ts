/** Everything that other areas and the composition root may import from this area. */
export { checkAuthorities } from './acme/check-authorities.js';
export { type CertificateRecord, CertificateSchema } from './certificate-schema.js';
export { type Certificates, createCertificates } from './certificates.js';
