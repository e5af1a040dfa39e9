const NAMES = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' });
const CODE = /^[A-Z]{2}$/;

/**
 * Returns the English name of a country; an unknown code as given.
 *
 * @param country ISO 3166-1 alpha-2, or XK
 */
export function countryName(country: string): string {
  return CODE.test(country) ? (NAMES.of(country) ?? country) : country;
}
