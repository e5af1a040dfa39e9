import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { openDatabase } from '../../storage/postgres/open-database.js';
import { createCertificates } from './certificates.js';

// Runs the certificates of a control plane in a separate process, for tests that kill it.

export interface OrderingProcessOptions {
  readonly databaseUrl: string;
  readonly directoryUrl: string;
  readonly caFile: string;
  readonly dnsServer: string;
  readonly secret: string;
  readonly leaseSeconds: number;
  /**
   * Point at which the process stops and sends a message: before it stores the answer to an order, or before it stores
   * an issued certificate.
   */
  readonly holds: 'order' | 'certificate' | undefined;
}

const options = JSON.parse(process.argv[2] ?? '') as OrderingProcessOptions;
const logger = pino({ level: 'silent' });
const opened = await openDatabase({ databaseUrl: options.databaseUrl, dataDir: '' }, logger);
const outbox = createRulesetOutbox(opened);

async function standStill(): Promise<never> {
  process.send?.('standing still');
  return new Promise<never>(() => {});
}

const database: typeof opened = {
  ...opened,
  query: (text, parameters) => {
    const storesOrder =
      text.includes('pending_order = $3') && String(JSON.stringify(parameters?.[2])).includes('"url":"https');
    return options.holds === 'order' && storesOrder ? standStill() : opened.query(text, parameters);
  },
};

const certificates = await createCertificates({
  database,
  outbox: {
    ...outbox,
    commit: options.holds === 'certificate' ? standStill : outbox.commit,
  },
  secret: Buffer.from(options.secret),
  acme: {
    email: 'operator@waymark.example',
    namesPerWildcard: 20,
    authorities: [{ directoryUrl: options.directoryUrl, variable: 'ACME_DIRECTORY_URL', eab: undefined }],
    caFile: options.caFile,
  },
  target: { addresses: [], cname: undefined },
  isOperator: async () => false,
  dnsServers: [options.dnsServer],
  metrics: new Registry(),
  logger,
  leaseSeconds: options.leaseSeconds,
  knownForSeconds: 0,
});
for (const job of certificates.jobs) job.start();
