import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import { open, type Reader, type Response } from 'maxmind';
import { ConfigError } from '../config/environment.js';
import { isPrivateAddress } from './private-address.js';
import { cachedByText } from './text-cache.js';

/** Geographic place of an address. Unknown values are undefined. */
export interface Place {
  /** ISO 3166-1 alpha-2, upper-case. */
  readonly country: string | undefined;
  /** English name of the first subdivision. */
  readonly region: string | undefined;
  /** English name. */
  readonly city: string | undefined;
  /** Latitude of the city in degrees. */
  readonly latitude?: number | undefined;
  readonly longitude?: number | undefined;
}

export interface Places {
  /** Returns the place of an address in canonical text, from memory. Never throws; an invalid address has no place. */
  placeOf(address: string): Place;
}

const BUNDLED_DATABASE = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';
const MAX_CACHED_ADDRESSES = 20_000;
const NOWHERE: Place = { country: undefined, region: undefined, city: undefined };

/** Looks an address up in the database for its IP version (4 or 6). */
type Lookup = (address: string, version: number) => Place;

/**
 * Reads a GeoIP database into memory: the file of GEOIP_DB, or the bundled database, which has only countries.
 *
 * @param geoipDb path of a city (or country) database in MaxMind's format
 * @throws {ConfigError} naming GEOIP_DB if its file is not a readable database
 */
export async function openPlaces({ geoipDb }: { readonly geoipDb: string | undefined }): Promise<Places> {
  const lookUp = geoipDb === undefined ? await openBundled() : await openGiven(geoipDb);
  const placeOf = (address: string) => {
    const version = isIP(address);
    return version === 0 ? NOWHERE : lookUp(address, version);
  };
  return { placeOf: cachedByText(placeOf, MAX_CACHED_ADDRESSES) };
}

async function openBundled(): Promise<Lookup> {
  const lookUp = lookupIn(await open(createRequire(import.meta.url).resolve(BUNDLED_DATABASE)));
  // The database has countries even for some private addresses, such as 192.168.0.0/16.
  return (address, version) => (isPrivateAddress(address) ? NOWHERE : lookUp(address, version));
}

async function openGiven(file: string): Promise<Lookup> {
  try {
    return lookupIn(await open(file));
  } catch (cause) {
    throw new ConfigError(
      'GEOIP_DB takes the path of a city database in the MaxMind format (.mmdb, not compressed), ' +
        `and ${file} cannot be read as one`,
      { cause },
    );
  }
}

function lookupIn(database: Reader<Response>): Lookup {
  const knowsIpv6 = database.metadata.ipVersion === 6;
  return (address, version) => {
    // The reader would use the first bits of an IPv6 address as an IPv4 address.
    if (version === 6 && !knowsIpv6) return NOWHERE;
    try {
      return placeIn(database.get(address));
    } catch {
      // A damaged record: the visitor has no place.
      return NOWHERE;
    }
  };
}

/** Returns the place in a record of MaxMind's format, or of the bundled database, whose records are flat. */
function placeIn(record: unknown): Place {
  const country = textAt(record, 'country', 'iso_code') ?? textAt(record, 'country_code');
  const city = textAt(record, 'city', 'names', 'en');
  return {
    country: country?.toUpperCase(),
    region: textAt(record, 'subdivisions', '0', 'names', 'en'),
    city,
    ...(city !== undefined && coordinatesIn(record)),
  };
}

/** Returns the coordinates of a city, if the database has them and they are valid. */
function coordinatesIn(record: unknown): Pick<Place, 'latitude' | 'longitude'> {
  const latitude = valueAt(record, 'location', 'latitude');
  const longitude = valueAt(record, 'location', 'longitude');
  return isWithin(90, latitude) && isWithin(180, longitude) ? { latitude, longitude } : {};
}

function isWithin(bound: number, degrees: unknown): degrees is number {
  return typeof degrees === 'number' && Math.abs(degrees) <= bound;
}

/** Returns the text at the path `keys` in nested maps and lists; undefined if it is absent or empty. */
function textAt(record: unknown, ...keys: readonly string[]): string | undefined {
  const found = valueAt(record, ...keys);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

function valueAt(record: unknown, ...keys: readonly string[]): unknown {
  let found = record;
  for (const key of keys) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[key];
  }
  return found;
}
