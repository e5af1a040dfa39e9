import { setImmediate as turnEnd } from 'node:timers/promises';
import { createDataplane } from '../../dataplane/dataplane.js';
import { createRecordedVisitors } from '../../dataplane/recorded-visitors.js';
import { parseDataplaneConfig } from '../../shared/config/config.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { loadSecretKey } from '../../shared/config/secret-key.js';
import { openPlaces } from '../../shared/visitor/place.js';
import { createProcessLogger } from '../process/process-logger.js';
import { connectToParent } from './parent-channel.js';
import { openServerLinks } from './server-links.js';
import { parseAssignment } from './worker-assignment.js';

/** Visitors may have connected to a process that stands in for this one: it waits so long for the newest ruleset. */
const AWAIT_FEED_MS = 3_000;

/** A data plane in a process of its own. */
const config = parseDataplaneConfig(processEnvironment());
const assignment = parseAssignment(process.argv.slice(2));
const logger = createProcessLogger('waymark-dataplane', config.logLevel).child({ worker: assignment.number });
const parent = connectToParent(logger);

async function run(): Promise<void> {
  const isFirst = assignment.number === 1;
  const secretKey = await loadSecretKey(config);
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
  const dataplane = createDataplane({
    config: {
      ...config,
      redirectPort: assignment.redirectPort,
      sharesRedirectPort: true,
      adminPort: undefined,
      savesRulesets: isFirst,
      ...(assignment.hasPeers && { awaitFeedMs: AWAIT_FEED_MS }),
    },
    feed: links.feed,
    ...visitors,
    logger,
  });
  links.registerMetrics(dataplane.metrics);
  parent.onStatusWanted(async () => ({
    readiness: dataplane.readiness(),
    metrics: await dataplane.metrics.getMetricsAsJSON(),
  }));
  const end = async () => {
    // Connections that the kernel has for this process are taken before the port is closed: it would reset them.
    await turnEnd();
    await dataplane.drain();
    await links.close();
  };
  parent.onEnd(() => {
    end().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'ending failed; the next start repairs what is left');
        process.exit(1);
      },
    );
  });
  await dataplane.start();
  links.reportOn(dataplane.syncStatus);
  parent.send({ type: 'ready' });
}

// Signals to the whole process group are for the parent, which decides when this one ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGUSR2'] as const) process.on(signal, () => {});

try {
  await run();
} catch (error) {
  parent.send({ type: 'failed', reason: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
  if (process.connected) process.disconnect();
}
