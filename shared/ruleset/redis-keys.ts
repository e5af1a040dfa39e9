export const DEFAULT_KEY_PREFIX = 'waymark';

/** The names under which both planes meet in Redis. */
export interface RedisKeys {
  /** String: the version up to which Redis holds everything, as `formatVersion` writes it. */
  readonly head: string;
  /**
   * String: the same version as `formatIdentity` writes it. It counts only while its numbers are those of `head`: a
   * control plane of an older release moves that one alone.
   */
  readonly identity: string;
  /** Stream: deltas, each under the id `epoch-seq` of the version it leads to. */
  readonly log: string;
  /** Hash: how large the log is, and how much came into it since the snapshot was made. */
  readonly logSize: string;
  /** Hash: which snapshot counts, and its manifest. */
  readonly snapshot: string;
  /** Prefix of the keys of chunks; `ID:INDEX` follows. */
  readonly chunks: string;
  /** String: the id of a snapshot that a data plane found damaged. Expires. */
  readonly refusedSnapshot: string;
  /** String: the newest version in the database. Expires soon, so that it is there only while somebody sees to it. */
  readonly heartbeat: string;
  /** String: how far the writing of a ruleset has come, in words. Expires soon, as the heartbeat does. */
  readonly building: string;
  /** String: who keeps the snapshot and the heartbeat. Expires. */
  readonly leader: string;
  /** Channel: each message is a version that can now be read. A hint: losing one loses nothing. */
  readonly hints: string;
  /** Sorted set: ids of data planes by the Unix time in milliseconds of their last report. */
  readonly dataplanes: string;
  /** Prefix of the keys of reports; the id follows. */
  readonly dataplane: string;
}

/** @param prefix tells installations apart that share a server; `{waymark}` keeps all keys in one slot of a cluster */
export function redisKeys(prefix: string = DEFAULT_KEY_PREFIX): RedisKeys {
  const ruleset = `${prefix}:ruleset`;
  return {
    head: `${ruleset}:head`,
    identity: `${ruleset}:head:identity`,
    log: `${ruleset}:log`,
    logSize: `${ruleset}:log:size`,
    snapshot: `${ruleset}:snapshot`,
    chunks: `${ruleset}:snapshot:chunks:`,
    refusedSnapshot: `${ruleset}:snapshot:refused`,
    heartbeat: `${ruleset}:heartbeat`,
    building: `${ruleset}:building`,
    leader: `${ruleset}:leader`,
    hints: `${ruleset}:hints`,
    dataplanes: `${prefix}:dataplanes`,
    dataplane: `${prefix}:dataplanes:`,
  };
}
