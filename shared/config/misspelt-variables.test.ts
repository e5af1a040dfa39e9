import { expect, it } from 'vitest';
import { KNOWN_VARIABLES } from './config.js';
import { editDistance, misspeltVariables } from './misspelt-variables.js';

const warnings = (environment: Record<string, string>) => misspeltVariables(environment, KNOWN_VARIABLES);

it.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['REDIS_ULR', 'REDIS_URL'],
  ['KAFKA_BROKER', 'KAFKA_BROKERS'],
  ['KAFKA_SSl', 'KAFKA_SSL'],
  ['DATADIR', 'DATA_DIR'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['api_port', 'API_PORT'],
  ['INGEST_PROT', 'INGEST_PORT'],
  ['REDIRECT_PROT', 'REDIRECT_PORT'],
  ['TLS_PROT', 'TLS_PORT'],
  ['KEEP_ALIVE', 'KEEP_ALIVE_SECONDS'],
  ['hit_flush_interval', 'HIT_FLUSH_INTERVAL_MS'],
  ['WAYMARK_API_PORT', 'API_PORT'],
])('%s is taken for %s', (given, likely) => {
  expect(warnings({ [given]: 'x' })).toEqual([
    `${given} is not a variable of Waymark: did you mean ${likely}?`,
  ]);
});

it('variables of other programs are not reported', () => {
  const foreign = [
    'PATH',
    'HOME',
    'HOST',
    'HOSTNAME',
    'PORT',
    'PWD',
    'USER',
    'LANG',
    'TERM',
    'NODE_ENV',
    'DATABASE',
  ];
  const more = [
    'REDIS_HOST',
    'REDIS_PORT',
    'KAFKA_HOME',
    'API_KEY',
    'DB_URL',
    'npm_config_data_dir',
    'SSL_CERT_FILE',
  ];
  expect(warnings(Object.fromEntries([...foreign, ...more].map((name) => [name, 'x'])))).toEqual([]);
});

it('a variable beside the right one is not spoken of', () => {
  expect(warnings({ REDIS_URL: 'redis://a', REDIS_URI: 'redis://a' })).toEqual([]);
  expect(warnings(Object.fromEntries(KNOWN_VARIABLES.map((name) => [name, 'x'])))).toEqual([]);
});

it.each([
  ['', 'AB', 2],
  ['AB', 'AB', 0],
  ['AB', 'BA', 1],
  ['ABC', 'AXC', 1],
  ['ABCD', 'ACD', 1],
  ['KITTEN', 'SITTING', 3],
])('from %j to %j it takes %d edits', (one, other, edits) => {
  expect(editDistance(one, other)).toBe(edits);
  expect(editDistance(other, one)).toBe(edits);
});
