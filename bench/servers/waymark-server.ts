import pino, { type Logger } from 'pino';
import { createDataplane, type Dataplane } from '../../dataplane/dataplane.js';
import type { HitRecorder } from '../../dataplane/hits/hit-recorder.js';
import { createKafkaSink } from '../../dataplane/hits/kafka-sink.js';
import { createRecordedVisitors } from '../../dataplane/recorded-visitors.js';
import { createCertificateSealing } from '../../shared/certificates/certificate-sealing.js';
import type { HitSink } from '../../shared/hits/hit-batch.js';
import { openPlaces } from '../../shared/visitor/place.js';
import { createDeferred, type Deferred } from '../harness/deferred.js';
import { createBenchFeed, createSilentFeed } from './bench-feed.js';
import type { HitAccount, ServerSetup } from './server-kind.js';
import type { BenchMessage } from './server-messages.js';
import { say, serve } from './server-process.js';
import { BENCH_SECRET } from './stored-certificates.js';

/** The product's default. */
const FLUSH_INTERVAL_MS = 250;

// The product's data plane, unchanged. The benchmark acts as its control plane.
await serve(async (setup) => {
  const logger = pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true }));
  const sink = sinkFor(setup, logger);
  const visitors = createRecordedVisitors({
    dataDir: setup.workFolder,
    sink,
    secretKey: Buffer.alloc(32),
    places: await openPlaces({ geoipDb: undefined }),
    flushIntervalMs: FLUSH_INTERVAL_MS,
    logger,
  });
  const storesCertificates = setup.redirects.fingerprintsFile !== undefined;
  const dataplane = createDataplane({
    config: {
      redirectHost: '127.0.0.1',
      redirectPort: 0,
      adminHost: '127.0.0.1',
      keepAliveSeconds: 75,
      adminPort: 0,
      dataDir: setup.workFolder,
      // The load names the address of each visitor in a header: the loopback has one address, and rules test countries.
      trustedProxies: setup.redirects.rulesPerHost > 0 ? ['127.0.0.1'] : [],
      ...(setup.certificate && {
        tls: { port: 0, certificatesDir: setup.certificate.folder, maxNames: setup.redirects.hostCount },
      }),
      ...(storesCertificates && { tls: { port: 0, maxNames: setup.redirects.hostCount } }),
    },
    ...(storesCertificates && {
      certificates: {
        source: { request: async () => ({ certificates: [], challengeThumbprints: [] }) },
        sealing: createCertificateSealing(BENCH_SECRET, []),
      },
    }),
    feed: setup.startsFromDisk ? createSilentFeed() : createBenchFeed(setup.redirects),
    ...visitors,
    logger,
  });
  const { redirectAddress, tlsAddress } = await dataplane.start();
  // `ready` would wait 5 s for a feed. The data plane serves the saved ruleset immediately.
  if (dataplane.readiness().version === null) throw new Error('the data plane has no ruleset to serve');
  return {
    port: (tlsAddress ?? redirectAddress).port,
    async stop() {
      await dataplane.drain();
      await sink.close();
      return setup.kafka && (await accountOf(dataplane, visitors.recorder));
    },
  };
});

function sinkFor({ kafka }: ServerSetup, logger: Logger): HitSink & { close(): Promise<void> } {
  return kafka === undefined
    ? { ...createChannelSink(), close: async () => {} }
    : createKafkaSink({ ...kafka, logger });
}

/** Returns the data plane's own counts, where the benchmark does not receive the batches. */
async function accountOf(dataplane: Dataplane, recorder: HitRecorder): Promise<HitAccount> {
  const { recorded, delivered, dropped, spooled } = recorder.stats();
  const { values } = (await dataplane.metrics.getSingleMetric('waymark_requests_total')?.get()) ?? {
    values: [],
  };
  const answered = values.find(({ labels }) => labels.outcome === 'redirect')?.value ?? 0;
  return { answered, recorded, delivered, dropped, spooled };
}

/** Hands batches over to the benchmark's process, as the product hands them to its control plane's. */
function createChannelSink(): HitSink {
  const waiting = new Map<number, Deferred<void>>();
  let nextId = 1;

  process.on('message', (message: BenchMessage) => {
    if (message.type !== 'hit-batch-answer') return;
    const delivery = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.refusal === undefined) delivery?.resolve();
    else delivery?.reject(new Error(message.refusal));
  });

  return {
    deliver(encoded) {
      const id = nextId++;
      const delivery = createDeferred<void>();
      waiting.set(id, delivery);
      say({ type: 'hit-batch', id, encoded });
      return delivery.promise;
    },
  };
}
