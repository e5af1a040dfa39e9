import { type Hit, HitSchema } from './hit-record.js';

const UTM_PARAMS = Object.keys(HitSchema.properties.utm.properties);
const MEMBERS = Object.keys(HitSchema.properties);

type Cell = string | number | boolean | null;

/** The members of a hit in their order, those of `utm` as `utmSource` and so on. */
const COLUMNS = MEMBERS.flatMap((member) => (member === 'utm' ? UTM_PARAMS.map(utmColumn) : [member]));

/** The first line of the file. */
export const CSV_HEADER = `${COLUMNS.join(',')}\r\n`;

/** A hit as a line of CSV (RFC 4180); what is null is empty. */
export function csvLine({ utm, ...hit }: Hit): string {
  const ofCampaign = Object.entries(utm).map(([param, value]) => [utmColumn(param), value]);
  const cells: Record<string, Cell> = { ...hit, ...Object.fromEntries(ofCampaign) };
  return `${COLUMNS.map((column) => csvCell(cells[column] ?? null)).join(',')}\r\n`;
}

function utmColumn(param: string): string {
  return `utm${param.charAt(0).toUpperCase()}${param.slice(1)}`;
}

/**
 * What a spreadsheet would take for a formula (https://owasp.org/www-community/attacks/CSV_Injection), the
 * full-width forms among them. Visitors write most of these texts, and owners open the file.
 */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** A text that begins like a formula gets an apostrophe in front of it, which makes it a text for spreadsheets. */
function csvCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
