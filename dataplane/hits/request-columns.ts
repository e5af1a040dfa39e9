import { MAX_VARIANT_LENGTH } from '../../shared/hits/batch-bounds.js';
import type { RecordedTexts } from '../../shared/hits/recorded-texts.js';
import { createFloatColumn, TextColumn } from '../../shared/native/columns.js';
import { writeTexts } from '../../shared/native/native-block.js';
import { TextList } from '../../shared/native/text-dictionary.js';
import { cut } from '../../shared/visitor/cut.js';
import type { ColumnWriters } from './batch-columns.js';
import { BatchRedirects } from './batch-redirects.js';
import type { HitSlot } from './hit-slot.js';
import { MAX_HOST_LENGTH, MAX_TEXT_LENGTH } from './hit-texts.js';

/** Maximum of a UInt16. The table keeps hits with this value for ever, as it does with 0. */
const MAX_RETENTION_DAYS = 65_535;

/**
 * The columns of the request and of its answer.
 *
 * @param recorded part of a destination that is recorded
 */
export function createRequestColumns(recorded: Pick<RecordedTexts, 'url'>) {
  const redirects = new BatchRedirects();
  const [paths, destinations] = [new TextList(), new TextList()];
  const [versions, variants] = [new TextColumn(), new TextColumn()];
  const [times, statuses, rates] = [createFloatColumn(), createFloatColumn(), createFloatColumn()];
  const [rules, retentions, draws] = [createFloatColumn(), createFloatColumn(), createFloatColumn()];
  const entries = createFloatColumn();
  const [recordings, requestedHosts] = [new TextColumn(), new TextColumn()];

  return {
    /** Number of rows. */
    rows: () => times.length,
    /** Adds a row. */
    add(slot: HitSlot) {
      redirects.add(slot);
      times.push(slot.timestampMs);
      paths.add(cut(slot.path, MAX_TEXT_LENGTH));
      destinations.add(recorded.url(slot.location, slot.queryRecording));
      statuses.push(slot.statusCode);
      rates.push(slot.samplingRate);
      versions.add(slot.rulesetVersion);
      rules.push(slot.ruleId);
      variants.add(cut(slot.variant, MAX_VARIANT_LENGTH));
      retentions.push(Math.min(slot.retentionDays, MAX_RETENTION_DAYS));
      draws.push(slot.draw);
      recordings.add(slot.queryRecording);
      entries.push(slot.entryId);
      requestedHosts.add(cut(slot.requestedHost, MAX_HOST_LENGTH));
    },
    writers: {
      redirect_id: (writer) => writeTexts(writer, redirects.ids, redirects.idRows.numbers()),
      timestamp: (writer) => writer.uint64s(times.numbers()),
      host: (writer) => writeTexts(writer, redirects.hosts, redirects.hostRows.numbers()),
      path: (writer) => writer.bytes(paths.bytes),
      destination_url: (writer) => writer.bytes(destinations.bytes),
      status_code: (writer) => writer.numbers(new Uint16Array(statuses.numbers())),
      sampling_rate: (writer) => writer.numbers(rates.numbers()),
      ruleset_version: versions.write,
      rule_id: (writer) => writer.uint64s(rules.numbers()),
      variant: variants.write,
      retention_days: (writer) => writer.numbers(new Uint16Array(retentions.numbers())),
      draw: (writer) => writer.numbers(draws.numbers()),
      query_recording: recordings.write,
      entry_id: (writer) => writer.uint64s(entries.numbers()),
      requested_host: requestedHosts.write,
    } satisfies ColumnWriters,
    textBytes() {
      const { ids, hosts } = redirects;
      const ofRedirects = ids.byteLength + hosts.byteLength + requestedHosts.dictionary.byteLength;
      return ofRedirects + paths.byteLength + destinations.byteLength;
    },
    clear() {
      const texts = [redirects, paths, destinations];
      const others = [versions, variants, times, statuses, rates, rules, retentions, draws, recordings];
      for (const part of [...texts, ...others, entries, requestedHosts]) part.clear();
    },
  };
}
