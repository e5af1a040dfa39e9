import { type CsvCell, csvLine as lineOf } from '../../../http/csv.js';
import { type Hit, HitSchema } from './hit-record.js';

const UTM_PARAMS = Object.keys(HitSchema.properties.utm.properties);
const MEMBERS = Object.keys(HitSchema.properties);

/** The members of a hit in their order; those of `utm` as `utmSource` and so on. */
const COLUMNS = MEMBERS.flatMap((member) => (member === 'utm' ? UTM_PARAMS.map(utmColumn) : [member]));

/** The first line of the file. */
export const CSV_HEADER = lineOf(COLUMNS);

/** Formats a hit as a line of CSV (RFC 4180); null is empty. */
export function csvLine({ utm, ...hit }: Hit): string {
  const ofCampaign = Object.entries(utm).map(([param, value]) => [utmColumn(param), value]);
  const cells: Record<string, CsvCell> = { ...hit, ...Object.fromEntries(ofCampaign) };
  return lineOf(COLUMNS.map((column) => cells[column] ?? null));
}

function utmColumn(param: string): string {
  return `utm${param.charAt(0).toUpperCase()}${param.slice(1)}`;
}
