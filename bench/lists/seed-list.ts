import type { Connection } from '../../controlplane/storage/postgres/database.js';

/** Rows per INSERT statement, which takes some seconds. */
const ROWS_PER_STATEMENT = 50_000;
/** Number of users other than the one whose list is read. Their texts have a word that no text of this list has. */
const OTHER_USERS = 1_000;
const SHARE_OF_OTHERS = 0.2;
export const OTHERS_WORD = 'foreignword';

/** Inserts the first user's list and redirects of other users. `onRows` gets the number of rows inserted so far. */
export async function seedLongList(
  database: Connection,
  redirects: number,
  onRows: (redirects: number) => void,
): Promise<void> {
  const [owner] = await database.query<{ id: string }>('SELECT id FROM users ORDER BY created_at LIMIT 1');
  if (owner === undefined) throw new Error('the database has no user');
  for (let start = 0; start < redirects; start += ROWS_PER_STATEMENT) {
    const end = Math.min(redirects, start + ROWS_PER_STATEMENT);
    await database.query(OWN, [start, end - 1, owner.id]);
    onRows(end);
  }
  await database.query(USERS, [OTHER_USERS]);
  await database.query(OTHERS, [Math.ceil(redirects * SHARE_OF_OTHERS), OTHER_USERS]);
  await database.query('VACUUM ANALYZE');
  await database.query('CHECKPOINT');
}

const COLUMNS = `id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding, query_forwarding,
  sampling_rate, verification_value, verified_at, created_at, updated_at`;

const word = (words: readonly string[], factor: number) =>
  `(ARRAY['${words.join("','")}'])[1 + (number * ${factor}) % ${words.length}]`;
const KIND = word(['shop', 'store', 'blog', 'news', 'mail', 'old', 'app', 'docs', 'help', 'beta'], 7_919);
const TOPIC = word(
  ['red', 'blue', 'fast', 'slow', 'north', 'south', 'river', 'stone', 'cloud', 'gold'],
  104_729,
);

/** Every twentieth is pending, every third has a tag, one in 20,011 is disabled. */
const OWN = `
  INSERT INTO redirects (${COLUMNS}, tags, note, external_id, enabled, health)
  SELECT 'long-' || number, $3, ${KIND} || '-' || ${TOPIC} || '-' || number || '.example',
    'https://www.' || ${KIND} || '-' || number || '.example/welcome', 'www.' || ${KIND} || '-' || number || '.example',
    'permanent', true, true, 0, 'waymark-verify=' || md5(number::text),
    CASE WHEN number % 20 = 0 THEN NULL ELSE now() END, now() - make_interval(secs => number),
    now() - make_interval(secs => (number * 7919) % 1000003),
    CASE WHEN number % 3 = 0 THEN ARRAY['campaign'] ELSE '{}' END,
    CASE WHEN number % 5 = 0 THEN 'moved in january' ELSE '' END, 'crm-' || number, number % 20011 <> 0,
    CASE WHEN number % 2 = 0 THEN 'ok' ELSE 'unknown' END
  FROM generate_series($1::bigint, $2::bigint) AS number`;

const USERS = `
  INSERT INTO users (id, email)
  SELECT 'other-' || number, 'other-' || number || '@bench.example' FROM generate_series(1, $1::bigint) AS number`;

const OTHERS = `
  INSERT INTO redirects (${COLUMNS})
  SELECT 'other-' || number, 'other-' || (1 + number % $2::bigint), '${OTHERS_WORD}-' || number || '.example',
    'https://www.other-' || number || '.example', 'www.other-' || number || '.example', 'permanent', true, true, 0,
    'waymark-verify=' || md5(number::text), now(), now() - make_interval(secs => number), now()
  FROM generate_series(1, $1::bigint) AS number`;
