import type { Fault } from '../fault.js';
import { clockJump } from './clock-jump.js';
import { diskFull } from './disk-full.js';
import { hintsGarbled } from './hints-garbled.js';
import { networkCut } from './network-cut.js';
import {
  coldStart,
  controlplaneKilled,
  dataplaneKilled,
  ingestKilled,
  snapshotCorrupt,
} from './role-faults.js';
import {
  brokerKilled,
  clickhouseUnreachable,
  kafkaKilled,
  postgresKilled,
  redisFlushed,
  redisKilled,
  redisPaused,
} from './server-faults.js';

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
