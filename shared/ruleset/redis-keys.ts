export const DEFAULT_KEY_PREFIX = 'waymark';

/**
 * Names of the keys in Redis that both planes use.
 *
 * @param prefix separates installations that share a server; `{waymark}` keeps all keys in one slot of a cluster
 */
export function redisKeys(prefix: string = DEFAULT_KEY_PREFIX) {
  const ruleset = `${prefix}:ruleset`;
  return {
    /** String: the version up to which Redis has all changes, as `formatVersion` writes it. */
    head: `${ruleset}:head`,
    /**
     * String: the same version as `formatIdentity` writes it. It is valid only if its numbers equal those of `head`: a
     * control plane of an older release changes only `head`.
     */
    identity: `${ruleset}:head:identity`,
    /** Stream: deltas. The id of each is the `epoch-seq` of the resulting version. */
    log: `${ruleset}:log`,
    /** Hash: size of the log, and its growth since the snapshot was made. */
    logSize: `${ruleset}:log:size`,
    /** Hash: the current snapshot and its manifest. */
    snapshot: `${ruleset}:snapshot`,
    /** Prefix of the keys of chunks; `ID:INDEX` follows. */
    chunks: `${ruleset}:snapshot:chunks:`,
    /** String: the snapshot that is being written, as `formatUnfinished` writes it. Its chunks can be read already. Expires. */
    unfinishedSnapshot: `${ruleset}:snapshot:unfinished`,
    /** String: the id of a snapshot that a data plane found damaged. Expires. */
    refusedSnapshot: `${ruleset}:snapshot:refused`,
    /** String: the newest version in the database. Expires soon, so it exists only while a control plane renews it. */
    heartbeat: `${ruleset}:heartbeat`,
    /** String: progress of writing a ruleset, in words. Expires soon, like the heartbeat. */
    building: `${ruleset}:building`,
    /** String: the control plane that writes the snapshot and the heartbeat. Expires. */
    leader: `${ruleset}:leader`,
    /**
     * Channel: each message is a version that can now be read. A message is only a hint, so a lost message loses no
     * data.
     */
    hints: `${ruleset}:hints`,
    /** Sorted set: ids of data planes by the Unix time in milliseconds of their last report. */
    dataplanes: `${prefix}:dataplanes`,
    /** Prefix of the keys of reports; the id follows. */
    dataplane: `${prefix}:dataplanes:`,
  };
}

export type RedisKeys = ReturnType<typeof redisKeys>;
