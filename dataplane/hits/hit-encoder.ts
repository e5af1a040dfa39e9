import { HIT_COLUMN_TYPES, HIT_COLUMNS, type HitColumn } from '../../shared/hits/hit-columns.js';
import { createRecordedTexts } from '../../shared/hits/recorded-texts.js';
import type { ColumnWriter } from '../../shared/native/columns.js';
import { beginBlock, beginColumn, writeTexts } from '../../shared/native/native-block.js';
import { NativeWriter } from '../../shared/native/native-writer.js';
import { TextDictionary } from '../../shared/native/text-dictionary.js';
import { type AgentColumnsDeps, createAgentColumns } from './agent-columns.js';
import type { ColumnGroup } from './batch-columns.js';
import type { HitSlot } from './hit-slot.js';
import { createOriginColumns, type OriginColumnsDeps } from './origin-columns.js';
import { createRequestColumns } from './request-columns.js';
import { createVisitorColumns, type VisitorColumnsDeps } from './visitor-columns.js';

export interface HitEncoderDeps extends AgentColumnsDeps, VisitorColumnsDeps, OriginColumnsDeps {
  readonly producerId: string;
}

/** Creates blocks of hits, one after the other, in reused memory. */
export interface HitEncoder {
  /** Number of hits in the block. */
  rows(): number;
  /**
   * Returns the bytes of visitors' texts in the batch. Texts derived from them are not longer; the rest is below 130
   * bytes per hit.
   */
  textBytes(): number;
  /**
   * Returns whether a hit is of the same month (UTC) as the block. A batch must belong to one partition of the table.
   */
  takes(slot: HitSlot): boolean;
  /** Adds a hit. Copies everything, so the slot can be emptied immediately. After an exception, call `discard`. */
  add(slot: HitSlot): void;
  /** Starts the next block without the content of this one. */
  discard(): void;
  /**
   * Writes the block column by column, and starts the next one. Other work can run between two steps.
   *
   * @param firstOrdinal of the first hit
   * @returns the block, a view that is valid until the next block is written, even if hits are added
   */
  finish(firstOrdinal: number): Generator<void, Uint8Array>;
}

export function createHitEncoder({ producerId, ...deps }: HitEncoderDeps): HitEncoder {
  const recorded = createRecordedTexts();
  const request = createRequestColumns(recorded);
  const agents = createAgentColumns(deps);
  const visitors = createVisitorColumns(deps, agents.agentOf);
  const origins = createOriginColumns(deps, recorded);
  const groups: readonly ColumnGroup[] = [request, agents, visitors, origins];
  const month = createMonth();
  const writer = new NativeWriter();
  const producer = new TextDictionary();
  producer.indexOf(producerId);
  let firstOrdinal = 1;

  const writers: Readonly<Record<HitColumn, ColumnWriter>> = {
    producer_id: () => writeTexts(writer, producer, new Uint32Array(request.rows())),
    ordinal: () => writer.uint64s(upFrom(firstOrdinal, request.rows())),
    ...request.writers,
    ...agents.writers,
    ...visitors.writers,
    ...origins.writers,
  };

  return {
    rows: request.rows,
    // Not a loop, because it runs before each hit.
    textBytes: () => request.textBytes() + agents.textBytes() + visitors.textBytes() + origins.textBytes(),
    takes: ({ timestampMs }) => request.rows() === 0 || month.includes(timestampMs),
    add(slot) {
      if (request.rows() === 0) month.begin(slot.timestampMs);
      request.add(slot);
      agents.add(slot, visitors.add(slot));
      origins.add(slot);
    },
    discard() {
      for (const group of groups) group.clear();
    },
    *finish(ordinal) {
      firstOrdinal = ordinal;
      writer.clear();
      beginBlock(writer, HIT_COLUMNS.length, request.rows());
      for (const column of HIT_COLUMNS) {
        beginColumn(writer, column, HIT_COLUMN_TYPES[column]);
        writers[column](writer);
        yield;
      }
      for (const group of groups) {
        group.clear();
        yield;
      }
      return writer.written();
    },
  };
}

function upFrom(first: number, count: number): Float64Array {
  const numbers = new Float64Array(count);
  for (let index = 0; index < count; index += 1) numbers[index] = first + index;
  return numbers;
}

/** Month of the first hit, UTC. */
function createMonth() {
  let startMs = 0;
  let endMs = 0;
  return {
    begin(timeMs: number) {
      const time = new Date(timeMs);
      startMs = Date.UTC(time.getUTCFullYear(), time.getUTCMonth());
      endMs = Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1);
    },
    includes: (timeMs: number) => timeMs >= startMs && timeMs < endMs,
  };
}
