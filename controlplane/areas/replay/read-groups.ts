import { type Block, type Numbers, readBlock, type Texts } from '../../../shared/native/column-values.js';
import { NativeReader } from '../../../shared/native/native-reader.js';
import { CLOCK_STEP_MS } from './group-columns.js';
import type { NeededFacts } from './needed-columns.js';
import type { VisitExample, VisitGroup } from './visit-group.js';
import type { Slice } from './visit-reader.js';

/** Value for draws below the first bound, because 0 means no draw. */
const LEAST_DRAW = Number.MIN_VALUE;

const TEXTS = [
  'variant',
  'destination_url',
  'query_recording',
  'seen_path',
  'seen_country',
  'seen_device_type',
  'path',
  'query',
  'referrer',
  'language',
  'user_agent',
  'ip_address',
  'country',
  'region',
  'city',
  'device_type',
  'device_brand',
  'device_model',
  'browser_name',
  'browser_version',
  'os_name',
  'os_version',
  'unparsed_agent',
  'requested_host',
] as const;
const NUMBERS = [
  'rule_id',
  'status_code',
  'draw',
  'visitor',
  'clock',
  'time',
  'visits',
  'weight',
  'squares',
] as const;

/**
 * Reads groups of visits, and passes each to `take`. It is the same object each time, with other members.
 *
 * @param bytes of blocks with the columns of `groupColumns`
 * @returns the number of groups
 * @throws NativeFormatError
 */
export function readGroups(
  bytes: Uint8Array,
  slice: Slice,
  facts: NeededFacts,
  take: (group: VisitGroup) => void,
): number {
  const reader = new NativeReader(bytes);
  let groups = 0;
  while (!reader.isAtEnd) {
    const block = readBlock(reader);
    const group = new BlockGroup(block, slice, facts);
    for (group.row = 0; group.row < block.rows; group.row += 1) take(group);
    groups += block.rows;
  }
  return groups;
}

type ColumnsOf<Names extends readonly string[], Values> = Readonly<Record<Names[number], Values | undefined>>;

/** A row of a block. Members are decoded on first use. Columns that were not read stay undefined. */
class BlockGroup implements VisitGroup {
  row = 0;
  private readonly texts: ColumnsOf<typeof TEXTS, Texts>;
  private readonly numbers: ColumnsOf<typeof NUMBERS, Numbers>;

  constructor(
    block: Block,
    private readonly slice: Slice,
    private readonly facts: NeededFacts,
  ) {
    this.texts = columnsOf(TEXTS, block.texts);
    this.numbers = columnsOf(NUMBERS, block.numbers);
  }

  get visits(): number {
    return this.numbers.visits?.at(this.row) ?? 1;
  }

  get weight(): number {
    return this.numbers.weight?.at(this.row) ?? this.visits;
  }

  get squares(): number {
    return this.numbers.squares?.at(this.row) ?? this.visits;
  }

  get timeMs(): number {
    const clock = this.numbers.clock?.at(this.row) ?? 0;
    return Math.max(clock * CLOCK_STEP_MS, this.slice.fromMs);
  }

  get rule_id(): number {
    return this.numbers.rule_id?.at(this.row) ?? 0;
  }

  get variant(): string {
    return this.texts.variant?.at(this.row) ?? '';
  }

  get destination_url(): string {
    return this.texts.destination_url?.at(this.row) ?? '';
  }

  get status_code(): number {
    return this.numbers.status_code?.at(this.row) ?? 0;
  }

  get query_recording(): VisitGroup['query_recording'] {
    return (this.texts.query_recording?.at(this.row) ?? '') as VisitGroup['query_recording'];
  }

  get draw(): number | undefined {
    const place = this.numbers.draw?.at(this.row);
    if (place === undefined || place === 0) return place;
    return this.facts.drawBounds[place - 2] ?? LEAST_DRAW;
  }

  get visitor(): string | undefined {
    return this.numbers.visitor?.hexAt(this.row);
  }

  get path(): string | undefined {
    return this.texts.path?.at(this.row);
  }

  get query(): string | undefined {
    return this.texts.query?.at(this.row);
  }

  get referrer(): string | undefined {
    return this.texts.referrer?.at(this.row);
  }

  get language(): string | undefined {
    return this.texts.language?.at(this.row);
  }

  get user_agent(): string | undefined {
    return this.texts.user_agent?.at(this.row);
  }

  get ip_address(): string | undefined {
    return this.texts.ip_address?.at(this.row);
  }

  get country(): string | undefined {
    return this.texts.country?.at(this.row);
  }

  get region(): string | undefined {
    return this.texts.region?.at(this.row);
  }

  get city(): string | undefined {
    return this.texts.city?.at(this.row);
  }

  get device_type(): string | undefined {
    return this.texts.device_type?.at(this.row);
  }

  get device_brand(): string | undefined {
    return this.texts.device_brand?.at(this.row);
  }

  get device_model(): string | undefined {
    return this.texts.device_model?.at(this.row);
  }

  get browser_name(): string | undefined {
    return this.texts.browser_name?.at(this.row);
  }

  get browser_version(): string | undefined {
    return this.texts.browser_version?.at(this.row);
  }

  get os_name(): string | undefined {
    return this.texts.os_name?.at(this.row);
  }

  get os_version(): string | undefined {
    return this.texts.os_version?.at(this.row);
  }

  get unparsed_agent(): string | undefined {
    return this.texts.unparsed_agent?.at(this.row);
  }

  get requested_host(): string | undefined {
    return this.texts.requested_host?.at(this.row);
  }

  /** A new object, which may be kept. */
  get example(): VisitExample {
    const { row, texts } = this;
    return {
      timeMs: this.numbers.time?.at(row) ?? 0,
      path: this.path ?? texts.seen_path?.at(row) ?? '',
      country: this.country ?? texts.seen_country?.at(row) ?? '',
      deviceType: this.device_type ?? texts.seen_device_type?.at(row) ?? '',
    };
  }
}

/** Objects of this function have one hidden class, since their members are always in the same order. */
function columnsOf<const Names extends readonly string[], Values>(
  names: Names,
  find: (name: string) => Values | undefined,
): ColumnsOf<Names, Values> {
  return Object.fromEntries(names.map((name) => [name, find(`${name}_`)])) as ColumnsOf<Names, Values>;
}
