import { parseAddress } from '../../visitor/address-text.js';
import { compareAddresses, GROUPS, isIpv6, type PackedAddress, packAddress } from './packed-address.js';

/** Addresses of one family from `first` to `last`, both included. */
export interface AddressRange {
  readonly isIpv6: boolean;
  readonly first: PackedAddress;
  readonly last: PackedAddress;
}

const CIDR = /^([^/]+)\/(\d{1,3})$/;

/**
 * Parses a CIDR, or `first-last`. Bits of a CIDR beyond its prefix are ignored. An IPv4-mapped IPv6 address counts as
 * its IPv4 address. Returns undefined for anything else, and if the first address is above the last.
 */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [, base, prefix] = CIDR.exec(text) ?? [];
  if (base !== undefined) return blockOf(base, Number(prefix));
  const [first = '', last, ...more] = text.split('-');
  return last === undefined || more.length > 0 ? undefined : addressRangeOf(first, last);
}

/**
 * Returns the range between two addresses, which may have spaces around them. Returns undefined in the same cases as
 * `parseAddressRange`.
 */
export function addressRangeOf(firstText: string, lastText: string): AddressRange | undefined {
  const firstAddress = parseAddress(firstText.trim());
  const lastAddress = parseAddress(lastText.trim());
  if (firstAddress === undefined || lastAddress === undefined) return undefined;
  if (isIpv6(firstAddress) !== isIpv6(lastAddress)) return undefined;
  const range = { isIpv6: isIpv6(firstAddress), first: packed(firstAddress), last: packed(lastAddress) };
  return compareAddresses(range.first, range.last) > 0 ? undefined : range;
}

/** Returns whether a canonical address is in a range. Not reentrant: it uses a shared buffer. */
export function addressRangeTest(range: AddressRange): (address: string) => boolean {
  const workplace = new Uint16Array(GROUPS);
  return (address) => {
    if (isIpv6(address) !== range.isIpv6) return false;
    packAddress(address, workplace);
    return compareAddresses(workplace, range.first) >= 0 && compareAddresses(workplace, range.last) <= 0;
  };
}

function packed(address: string): PackedAddress {
  const groups = new Uint16Array(GROUPS);
  packAddress(address, groups);
  return groups;
}

function blockOf(base: string, prefix: number): AddressRange | undefined {
  const address = parseAddress(base.trim());
  if (address === undefined) return undefined;
  const addressBits = isIpv6(address) ? 128 : 32;
  if (prefix > addressBits) return undefined;
  const freeBits = addressBits - prefix;
  const first = packed(address).map((group, place) => group & ~freeMask(place, freeBits));
  const last = first.map((group, place) => group | freeMask(place, freeBits));
  return { isIpv6: isIpv6(address), first, last };
}

/** Returns the bits of a group that are among the last `freeBits` of the whole address. */
function freeMask(place: number, freeBits: number): number {
  const bitsBehind = (GROUPS - 1 - place) * 16;
  const freeHere = Math.min(16, Math.max(0, freeBits - bitsBehind));
  return (1 << freeHere) - 1;
}
