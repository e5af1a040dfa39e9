import type { QueryParams } from '../../storage/clickhouse/analytics-store.js';
import { HOUR_MS, type Period } from './period.js';
import { HOUR, QUARTER } from './source.js';
import type { TimeZone } from './time-zone.js';

/** Groups hits by the days and hours of a time zone, in SQL. */
export interface ZonedTime {
  readonly zone: TimeZone;
  /** Whether days and hours are those of UTC. Then roll-ups by day can be used. */
  readonly isUtc: boolean;
  /** The key of `groups` that all times below derive from, with `rollUp: 'by_hour'` and this `hitByHit`. */
  readonly slot: string;
  /** True if hours do not begin with those of UTC: no roll-up has such hours. */
  readonly hitByHit: boolean;
  /** Parameters of the SQL below. */
  readonly params: QueryParams;
  /** The local time of a slot, as a DateTime of UTC. */
  local(slot: string): string;
  /** The moment at which the local hour of a slot began. */
  hourStart(slot: string): string;
}

const OFFSETS = '{zoneOffsets:Array(Int32)}';
const STARTS = '{zoneStarts:Array(Int64)}';

/**
 * The offsets are computed here and passed to the engine, whose own time zone database may be another version.
 * Decision 0018 describes the cost of hours that do not begin with those of UTC.
 */
export function createZonedTime(zone: TimeZone, period: Period): ZonedTime {
  const offsets = zone.offsetsOf(period);
  // Not only offsets of the period: its first week or month may have begun with another one.
  const isUtc = zone.isUtc();
  const hitByHit = offsets.some(({ offsetMs }) => offsetMs % HOUR_MS !== 0);
  // Each slot needs a look-up of the offset, so a zone with one offset omits it.
  const place = (slot: string) =>
    offsets.length === 1 ? '1' : `arrayCount(start -> start <= toInt64(toUnixTimestamp(${slot})), ${STARTS})`;
  const offset = (slot: string) => `${OFFSETS}[${place(slot)}]`;
  const local = (slot: string) => `addSeconds(${slot}, ${offset(slot)})`;

  return {
    zone,
    isUtc,
    slot: hitByHit ? QUARTER : HOUR,
    hitByHit,
    params: isUtc
      ? {}
      : {
          zoneOffsets: offsets.map(({ offsetMs }) => offsetMs / 1_000),
          // Everything before the first change has the first offset.
          zoneStarts: offsets.map(({ startMs }, index) => (index === 0 ? 0 : Math.ceil(startMs / 1_000))),
        },
    local: (slot) => (isUtc ? slot : local(slot)),
    hourStart(slot) {
      if (!hitByHit) return slot;
      const hour = `subtractSeconds(toStartOfHour(${local(slot)}), ${offset(slot)})`;
      return `greatest(${hour}, toDateTime(${STARTS}[${place(slot)}], 'UTC'))`;
    },
  };
}
