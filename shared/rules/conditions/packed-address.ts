/** The eight groups of 16 bits of an IPv6 address. An IPv4 address uses the last two. */
export type PackedAddress = Uint16Array;

export const GROUPS = 8;

const DOT = 0x2e;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
/** Difference between the code of a lower-case hexadecimal letter and its value. */
const LETTER_OFFSET = 0x57;

/** Returns whether an address in canonical form is IPv6. */
export function isIpv6(address: string): boolean {
  return address.includes(':');
}

/** Writes `address` into `groups`. It must be in canonical form (`parseAddress`). */
export function packAddress(address: string, groups: PackedAddress): void {
  groups.fill(0);
  if (isIpv6(address)) packIpv6(address, groups);
  else packIpv4(address, groups);
}

function packIpv4(address: string, groups: PackedAddress): void {
  let bits = 0;
  let byte = 0;
  for (let at = 0; at < address.length; at += 1) {
    const code = address.charCodeAt(at);
    if (code === DOT) {
      bits = (bits << 8) | byte;
      byte = 0;
    } else byte = byte * 10 + code - DIGIT_0;
  }
  bits = (bits << 8) | byte;
  groups[6] = bits >>> 16;
  groups[7] = bits & 0xffff;
}

function packIpv6(address: string, groups: PackedAddress): void {
  const gap = address.indexOf('::');
  if (gap === -1) {
    packGroups(address, address.length, groups, GROUPS);
    return;
  }
  let place = GROUPS;
  let end = address.length;
  while (end > gap + 2) {
    const start = Math.max(address.lastIndexOf(':', end - 1), gap + 1) + 1;
    place -= 1;
    groups[place] = hexOf(address, start, end);
    end = start - 1;
  }
  packGroups(address, gap, groups, place);
}

/** Writes the groups of `address` before `end`, from the left, at most `count`. */
function packGroups(address: string, end: number, groups: PackedAddress, count: number): void {
  let start = 0;
  for (let place = 0; place < count && start < end; place += 1) {
    const colon = address.indexOf(':', start);
    const groupEnd = colon === -1 || colon > end ? end : colon;
    groups[place] = hexOf(address, start, groupEnd);
    start = groupEnd + 1;
  }
}

function hexOf(text: string, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    value = (value << 4) | (code <= DIGIT_9 ? code - DIGIT_0 : code - LETTER_OFFSET);
  }
  return value;
}

/**
 * Returns a negative number, 0 or a positive one if `left` is before, equal to or after `right`. Both must be of one
 * family.
 */
export function compareAddresses(left: PackedAddress, right: PackedAddress): number {
  for (let place = 0; place < GROUPS; place += 1) {
    const difference = (left[place] ?? 0) - (right[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
