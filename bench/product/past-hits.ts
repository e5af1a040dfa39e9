import { openAnalyticsStore } from '../../controlplane/storage/clickhouse/client.js';

const DAYS = 30;

/**
 * Inserts hits of the last 30 days into the embedded store of a product that is not running. Resolves when they are
 * stored.
 */
export async function addPastHits(dataDir: string, redirectId: string, count: number): Promise<void> {
  const store = await openAnalyticsStore({ dataDir });
  try {
    await store.command(
      `INSERT INTO hits (producer_id, ordinal, redirect_id, timestamp, host, path, query, destination_url, status_code,
         method, sampling_rate, user_agent, referrer, language, ip_address, visitor, is_bot, bot_reason,
         ruleset_version)
       SELECT 'past', number + 1, {redirect:String},
         now64(3, 'UTC') - toIntervalSecond(rand(1) % (${DAYS} * 86400)), 'stall.localhost',
         concat('/item-', toString(rand(2) % 10000)), 'utm_source=newsletter', 'https://destination.example/',
         301, 'GET', 1, concat('agent ', toString(rand(3) % 500)), '', 'en',
         concat('198.51.', toString(rand(4) % 256), '.0'), sipHash64(rand(5) % 1000000),
         rand(6) % 10 = 0, '', '1.1'
       FROM numbers({count:UInt64})`,
      { redirect: redirectId, count },
    );
  } finally {
    await store.close();
  }
}
