import { createDataplane } from '../../dataplane/dataplane.js';
import { createRecordedVisitors } from '../../dataplane/recorded-visitors.js';
import { createHttpCertificateSource } from '../../dataplane/tls/certificate-source.js';
import { createCertificateSealing } from '../../shared/certificates/certificate-sealing.js';
import { parseDataplaneConfig } from '../../shared/config/config.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { loadSecretKeys } from '../../shared/config/secret-key.js';
import { messageOf } from '../../shared/process/error-facts.js';
import { openPlaces } from '../../shared/visitor/place.js';
import { packageVersion } from '../process/package-version.js';
import { createProcessLogger } from '../process/process-logger.js';
import { connectToParent } from './parent-channel.js';
import { quietTurn } from './quiet-turn.js';
import { controlPlaneUrl, openServerLinks } from './server-links.js';
import { parseAssignment } from './worker-assignment.js';
import { liveWithParent } from './worker-life.js';
import { createOwnRecord } from './worker-record.js';

/** Runs a data plane in a separate process. */
const config = parseDataplaneConfig(processEnvironment());
const assignment = parseAssignment(process.argv.slice(2));
const logger = createProcessLogger('waymark-dataplane', config.logLevel).child({ worker: assignment.number });
const parent = connectToParent(logger);
const record = createOwnRecord(config.dataDir, { port: assignment.redirectPort, version: packageVersion() });

async function run(): Promise<void> {
  const isFirst = assignment.number === 1;
  const { awaitFeedMs } = assignment;
  const secrets = await loadSecretKeys(config);
  const secretKey = secrets.current;
  const places = await openPlaces(config);
  const links = await openServerLinks({ config, secretKey, parent, hasOwnApi: assignment.hasOwnApi, logger });
  const visitors = createRecordedVisitors({
    dataDir: config.dataDir,
    sink: links.sink,
    ...(links.sinkGone !== undefined && { sinkGone: links.sinkGone }),
    recoverProducers: isFirst,
    secretKey,
    places,
    flushIntervalMs: config.hitFlushIntervalMs,
    logger,
  });
  const tls = config.tls && { ...config.tls, port: assignment.tlsPort ?? config.tls.port };
  const apiUrl = controlPlaneUrl({ config, parent, hasOwnApi: assignment.hasOwnApi });
  const dataplane = createDataplane({
    config: {
      ...config,
      redirectPort: assignment.redirectPort,
      ...(tls && { tls }),
      sharesRedirectPort: true,
      adminPort: undefined,
      savesRulesets: isFirst,
      ...(awaitFeedMs > 0 && { awaitFeedMs }),
    },
    feed: links.feed,
    ...visitors,
    ...(apiUrl && {
      certificates: {
        source: createHttpCertificateSource({ url: apiUrl, secrets }),
        sealing: createCertificateSealing(secrets.current, secrets.previous),
      },
    }),
    onCertificatesOutdated: (urgency) => parent.send({ type: 'replacement-wanted', urgency }),
    logger,
  });
  let starting: Promise<unknown> | undefined;
  let isListening = false;
  links.registerMetrics(dataplane.metrics);
  parent.onStatusWanted(async () => ({
    readiness: dataplane.readiness(),
    metrics: await dataplane.metrics.getMetricsAsJSON(),
  }));
  parent.onHostAsked(dataplane.serves);
  const end = async () => {
    // Accept the connections that wait in the kernel before closing the port, which would reset them.
    if (isListening) await quietTurn();
    await dataplane.drain();
    await links.close();
  };
  liveWithParent({
    parent,
    record,
    isServing: () => isListening && dataplane.readiness().version !== null,
    end: () =>
      void end().then(
        // If draining ends the start, the start rejects. Its caller reports that to the parent, and then the process
        // ends.
        () =>
          starting?.then(
            () => exit(0),
            () => {},
          ),
        (error: unknown) => {
          logger.error({ err: error }, 'ending failed; the next start repairs what is left');
          return exit(1);
        },
      ),
    logger,
  });
  await record.write().catch((error: unknown) => {
    logger.warn({ err: error }, 'this process is not recorded in DATA_DIR: it may end with its supervisor');
  });
  starting = dataplane.start();
  await starting;
  isListening = true;
  links.reportOn(dataplane.syncStatus);
  parent.send({ type: 'ready' });
}

async function exit(code: 0 | 1): Promise<void> {
  await record.remove();
  process.exit(code);
}

// Ignore these signals until `liveWithParent` handles SIGTERM and SIGINT: the supervisor acts on them. SIGUSR2 is
// always the supervisor's.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGUSR2'] as const) process.on(signal, () => {});
// The reader of the output may have ended with the supervisor.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

try {
  await run();
} catch (error) {
  await record.remove();
  parent.send({ type: 'failed', reason: messageOf(error) });
  process.exitCode = 1;
  if (process.connected) process.disconnect();
}
