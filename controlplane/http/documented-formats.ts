/**
 * Constraints for the OpenAPI document, as `documented` of a schema. Code checks the values, and is more lenient: it
 * ignores case and surrounding blanks.
 */
const DAY =
  '((19|2[0-2])\\d\\d-((0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])|(0[469]|11)-(0[1-9]|[12]\\d|30)|02-(0[1-9]|1\\d|2[0-8]))|((19|2[0-2])(0[48]|[2468][048]|[13579][26])|2000)-02-29)';
const TIME = 'T([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,3})?)?(Z|[+-](0\\d|1[0-3]):[0-5]\\d)?';

/** A date, or a timestamp with or without an offset. */
export const MOMENT = { pattern: `^${DAY}(${TIME})?$` };
export const HTTP_URL = { format: 'iri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' };
export const HTTPS_URL = { format: 'iri', pattern: '^[Hh][Tt][Tt][Pp][Ss]://' };
export const HOST_NAME = { format: 'hostname' };
/** A text that is not empty after blanks around it are removed. */
export const NOT_BLANK = { pattern: '\\S' };

/** A name of the IANA time zone database. JSON Schema has no such format; tools that know it can generate values. */
export const TIME_ZONE = { maxLength: null, format: 'time-zone' };

/** Values of a list in a query, separated by commas. */
export const listOf = (values: readonly string[]) => ({
  type: 'array',
  minLength: null,
  maxLength: null,
  minItems: 1,
  items: { type: 'string', enum: values },
});
