export const DEFAULT_KEY_PREFIX = 'waymark';

/** Names of the keys in Redis that both planes use. */
export interface RedisKeys {
  /** String: the version up to which Redis has all changes, as `formatVersion` writes it. */
  readonly head: string;
  /**
   * String: the same version as `formatIdentity` writes it. It is valid only if its numbers equal those of `head`: a
   * control plane of an older release changes only `head`.
   */
  readonly identity: string;
  /** Stream: deltas, each under the id `epoch-seq` of the version it leads to. */
  readonly log: string;
  /** Hash: size of the log, and its growth since the snapshot was made. */
  readonly logSize: string;
  /** Hash: the current snapshot and its manifest. */
  readonly snapshot: string;
  /** Prefix of the keys of chunks; `ID:INDEX` follows. */
  readonly chunks: string;
  /** String: the snapshot that is being written, as `formatUnfinished` writes it. Its chunks can be read already. Expires. */
  readonly unfinishedSnapshot: string;
  /** String: the id of a snapshot that a data plane found damaged. Expires. */
  readonly refusedSnapshot: string;
  /** String: the newest version in the database. Expires soon, so it exists only while a control plane renews it. */
  readonly heartbeat: string;
  /** String: progress of writing a ruleset, in words. Expires soon, like the heartbeat. */
  readonly building: string;
  /** String: the control plane that writes the snapshot and the heartbeat. Expires. */
  readonly leader: string;
  /** Channel: each message is a version that can now be read. A message is a hint: nothing is lost with it. */
  readonly hints: string;
  /** Sorted set: ids of data planes by the Unix time in milliseconds of their last report. */
  readonly dataplanes: string;
  /** Prefix of the keys of reports; the id follows. */
  readonly dataplane: string;
}

/** @param prefix separates installations that share a server; `{waymark}` keeps all keys in one slot of a cluster */
export function redisKeys(prefix: string = DEFAULT_KEY_PREFIX): RedisKeys {
  const ruleset = `${prefix}:ruleset`;
  return {
    head: `${ruleset}:head`,
    identity: `${ruleset}:head:identity`,
    log: `${ruleset}:log`,
    logSize: `${ruleset}:log:size`,
    snapshot: `${ruleset}:snapshot`,
    chunks: `${ruleset}:snapshot:chunks:`,
    unfinishedSnapshot: `${ruleset}:snapshot:unfinished`,
    refusedSnapshot: `${ruleset}:snapshot:refused`,
    heartbeat: `${ruleset}:heartbeat`,
    building: `${ruleset}:building`,
    leader: `${ruleset}:leader`,
    hints: `${ruleset}:hints`,
    dataplanes: `${prefix}:dataplanes`,
    dataplane: `${prefix}:dataplanes:`,
  };
}
