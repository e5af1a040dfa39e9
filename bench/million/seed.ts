import type { Connection, Database } from '../../controlplane/storage/postgres/database.js';
import { benchRedirect } from '../traffic/bench-request.js';
import type { Installation } from './installation.js';
import { startTogether } from './starts.js';

/** Number of redirects per user. */
const REDIRECTS_PER_USER = 10;
/** Rows per INSERT statement. One statement takes some seconds, which gives steady progress reports. */
const ROWS_PER_STATEMENT = 50_000;
/** Redirects of the user whose list is read. */
export const LISTED_REDIRECTS = 100;

/** The redirect that is read and changed by its id. It belongs to the user whose list is read. */
export const READ_REDIRECT_ID = 'listed-1';

/**
 * Inserts verified redirects as `benchRedirect` names them, each with one active rule, and a user for each ten. The
 * rows bypass the change log, so the ruleset must be built afterwards.
 *
 * @param onRows called with the number of redirects inserted so far
 */
export async function seedRedirects(
  database: Connection,
  redirects: number,
  onRows: (redirects: number) => void = () => {},
): Promise<void> {
  for (let start = 0; start < redirects; start += ROWS_PER_STATEMENT) {
    const end = Math.min(redirects, start + ROWS_PER_STATEMENT);
    for (const statement of [USERS, REDIRECTS, RULES]) await database.query(statement, [start, end - 1]);
    onRows(end);
  }
}

/** Gives the first user of the database, made at the start of the control plane, the redirects of the measured list. */
export async function seedList(database: Connection): Promise<void> {
  await database.query(LIST, [LISTED_REDIRECTS]);
  await database.query(LIST_RULES);
}

/** Runs the maintenance that PostgreSQL's autovacuum does in the minutes after a large insert. */
export async function settle(database: Connection): Promise<void> {
  await database.query('VACUUM ANALYZE');
  await database.query('CHECKPOINT');
}

const USERS = `
  INSERT INTO users (id, email)
  SELECT 'bench-user-' || number, 'bench-' || number || '@bench.example'
  FROM generate_series($1::bigint / ${REDIRECTS_PER_USER}, $2::bigint / ${REDIRECTS_PER_USER}) AS number
  ON CONFLICT DO NOTHING`;

/** `benchRedirect` in SQL. */
const named = ({ id, host, destination }: ReturnType<typeof benchRedirect>) =>
  [id, host, destination].map((text) => `'${text.replaceAll('0', "' || number || '")}'`);
const [ID, HOST, DESTINATION] = named(benchRedirect(0));

const COLUMNS = `id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding, query_forwarding,
  sampling_rate, verification_value, verified_at, created_at`;

const REDIRECTS = `
  INSERT INTO redirects (${COLUMNS})
  SELECT ${ID}, 'bench-user-' || number / ${REDIRECTS_PER_USER}, ${HOST}, ${DESTINATION},
    'www.shop-' || number || '.example', 'permanent', true, true, 0, 'waymark-verify=' || md5(number::text),
    now(), now() - make_interval(secs => number)
  FROM generate_series($1::bigint, $2::bigint) AS number`;

/** No visitor of the benchmark uses this device, so the rule never changes an answer. */
const RULE = `'force', jsonb_build_array(
    jsonb_build_object('attribute', 'os_name', 'operator', 'equals', 'value', 'iOS'),
    jsonb_build_object('attribute', 'url_path', 'operator', 'starts_with', 'value', '/app')),
  'AND', jsonb_build_object('type', 'redirect', 'url', 'https://apps.example/' || md5(redirect_id)), 1, 'active', 'bench'`;
const RULE_COLUMNS = `redirect_id, name, type, conditions, condition_logic, action, priority, status, created_by`;

const RULES = `
  INSERT INTO rules (${RULE_COLUMNS})
  SELECT redirect_id, 'iPhones to the app', ${RULE}
  FROM generate_series($1::bigint, $2::bigint) AS number, LATERAL (SELECT ${ID} AS redirect_id) AS redirect`;

const LIST = `
  INSERT INTO redirects (${COLUMNS})
  SELECT 'listed-' || number, users.id, 'listed-' || number || '.localhost', 'https://www.listed-' || number || '.example',
    'www.listed-' || number || '.example', 'permanent', true, true, 0, 'waymark-verify=' || md5(number::text), now(), now()
  FROM generate_series(1, $1::bigint) AS number, (SELECT id FROM users ORDER BY created_at LIMIT 1) AS users`;

const LIST_RULES = `
  INSERT INTO rules (${RULE_COLUMNS})
  SELECT redirect_id, 'iPhones to the app', ${RULE}
  FROM (SELECT id AS redirect_id FROM redirects WHERE id LIKE 'listed-%') AS listed`;

const SMALL_REDIRECTS = 1_000;

/** Lets the control planes create their tables and the first user, and stops them. */
export async function makeDatabases({ controlplanes, small, redis }: Installation): Promise<void> {
  const both = [controlplanes[0], small.controlplane];
  await startTogether(both);
  await Promise.all(both.map((controlplane) => controlplane.stop()));
  // The seeded rows are not in the change log, so data planes with an older ruleset would never receive them.
  await redis.flush();
}

/** @param onRows called with the number of redirects inserted so far */
export async function seed(
  { database, small }: Installation,
  redirects: number,
  onRows: (redirects: number) => void,
): Promise<void> {
  await fill(small.database, SMALL_REDIRECTS);
  await fill(database, redirects, onRows);
}

function fill(database: Database, redirects: number, onRows?: (redirects: number) => void): Promise<void> {
  return database.session(async (connection) => {
    await seedList(connection);
    await seedRedirects(connection, redirects, onRows);
    await settle(connection);
  });
}
