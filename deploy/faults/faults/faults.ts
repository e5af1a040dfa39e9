import type { Fault } from '../fault.js';
import { clockJump } from './clock-jump.js';
import { coldStart } from './cold-start.js';
import { controlplaneKilled } from './controlplane-killed.js';
import { dataplaneKilled } from './dataplane-killed.js';
import { diskFull } from './disk-full.js';
import { hintsGarbled } from './hints-garbled.js';
import { ingestKilled } from './ingest-killed.js';
import { networkCut } from './network-cut.js';
import {
  brokerKilled,
  clickhouseUnreachable,
  kafkaKilled,
  postgresKilled,
  redisFlushed,
  redisKilled,
  redisPaused,
} from './server-faults.js';
import { snapshotCorrupt } from './snapshot-corrupt.js';

/** All faults, in the order of the table. */
export const FAULTS: readonly Fault[] = [
  redisKilled,
  redisPaused,
  redisFlushed,
  hintsGarbled,
  kafkaKilled,
  brokerKilled,
  clickhouseUnreachable,
  ingestKilled,
  postgresKilled,
  networkCut,
  controlplaneKilled,
  dataplaneKilled,
  diskFull,
  snapshotCorrupt,
  clockJump,
  coldStart,
];
