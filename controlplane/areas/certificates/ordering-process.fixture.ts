import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { openDatabase } from '../../storage/postgres/open-database.js';
import { createCertificates } from './certificates.js';

// The certificates of a control plane in a process of its own, for tests that kill it.

export interface OrderingProcessOptions {
  readonly databaseUrl: string;
  readonly directoryUrl: string;
  readonly caFile: string;
  readonly dnsServer: string;
  readonly secret: string;
  readonly leaseSeconds: number;
  /** Whether it stands still with an issued certificate that is not stored. It sends a message then. */
  readonly storesNothing: boolean;
}

const options = JSON.parse(process.argv[2] ?? '') as OrderingProcessOptions;
const logger = pino({ level: 'silent' });
const database = await openDatabase({ databaseUrl: options.databaseUrl, dataDir: '' }, logger);
const outbox = createRulesetOutbox(database);

const certificates = await createCertificates({
  database,
  outbox: {
    ...outbox,
    commit: options.storesNothing
      ? async () => {
          process.send?.('standing still');
          return new Promise<never>(() => {});
        }
      : outbox.commit,
  },
  secret: Buffer.from(options.secret),
  acme: {
    email: 'operator@waymark.example',
    authorities: [{ directoryUrl: options.directoryUrl, variable: 'ACME_DIRECTORY_URL', eab: undefined }],
    caFile: options.caFile,
  },
  target: { addresses: [], cname: undefined },
  dnsServers: [options.dnsServer],
  metrics: new Registry(),
  logger,
  leaseSeconds: options.leaseSeconds,
  knownForSeconds: 0,
});
for (const job of certificates.jobs) job.start();
