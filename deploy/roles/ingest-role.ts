import { collectDefaultMetrics, Registry } from 'prom-client';
import { createKafkaIntake } from '../../controlplane/ingest/kafka-intake.js';
import { openMigratedStore } from '../../controlplane/storage/clickhouse/migrate.js';
import { createAdminListener } from '../../dataplane/http/admin-listener.js';
import { processEnvironment } from '../../shared/config/process-environment.js';
import { parseIngestRoleConfig } from '../../shared/config/role-config.js';
import { reachableUrl } from '../../shared/process/reachable-url.js';
import { runProcess } from '../process/run-process.js';

/** Moves hits from Kafka into ClickHouse. Several of these processes share the work. */
export async function runIngestRole(): Promise<void> {
  await runProcess({
    name: 'waymark-ingest',
    configure: () => parseIngestRoleConfig(processEnvironment()),
    async start({ config, logger, shutdown }) {
      const store = await openMigratedStore(config, logger, shutdown.signal);
      shutdown.add(() => store.close());
      const metrics = new Registry();
      collectDefaultMetrics({ register: metrics });
      const intake = createKafkaIntake({ store, metrics, logger, ...config.kafka });
      shutdown.add(() => intake.stop());

      const readiness = async () => {
        const isStoreUp = await store.ping().then(
          () => true,
          () => false,
        );
        const parts = { kafka: intake.stats().isConsuming, analytics: isStoreUp };
        return { ready: !shutdown.leaving.aborted && parts.kafka && parts.analytics, parts };
      };
      const admin = createAdminListener({ readiness, metrics, logger });
      const adminAddress = await admin.listen({
        host: config.ingestHost,
        port: config.ingestPort,
        hostVariable: 'INGEST_HOST',
        portVariable: 'INGEST_PORT',
      });
      shutdown.add(() => admin.close());
      intake.start();
      return `Waymark ingest is running.\n\n  Health, metrics  ${reachableUrl(adminAddress)}\n`;
    },
  });
}
