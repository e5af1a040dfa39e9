import type { RuleCondition } from './rule-definition.js';

/** Compares two versions segment by segment as numbers; NaN unless both are numbers between dots. */
export function orderOfVersions(left: string, right: string): number {
  const [leftSegments, rightSegments] = [segmentsOf(left), segmentsOf(right)];
  if (leftSegments === undefined || rightSegments === undefined) return Number.NaN;
  for (let at = 0; at < Math.max(leftSegments.length, rightSegments.length); at++) {
    const difference = (leftSegments[at] ?? 0n) - (rightSegments[at] ?? 0n);
    if (difference !== 0n) return difference > 0n ? 1 : -1;
  }
  return 0;
}

/** Does the same as `orderOfVersions`, with the leading numbers of a visitor's version. */
export function orderOfBeginning(version: string, right: string): number {
  let beginning = version;
  while (beginning !== '' && segmentsOf(beginning) === undefined) beginning = beginning.slice(0, -1);
  return beginning === '' ? Number.NaN : orderOfVersions(beginning, right);
}

function segmentsOf(version: string): bigint[] | undefined {
  const segments = version.split('.');
  return segments.every((segment) => /^\d+$/.test(segment)) ? segments.map(BigInt) : undefined;
}

interface Address {
  readonly bits: 32 | 128;
  readonly number: bigint;
}

export function sameAddress(left: string, right: string): boolean {
  const [one, other] = [addressOf(left), addressOf(right)];
  return one.bits === other.bits && one.number === other.number;
}

/** Returns whether an address is in a CIDR, in `a-b`, or between two addresses, ends included. */
export function isInRange(text: string, range: RuleCondition['value']): boolean {
  const address = addressOf(text);
  const ends = Array.isArray(range) ? range.map(String) : String(range).split('-');
  const [first, last] = ends.length === 2 ? ends.map(addressOf) : blockOf(ends[0]!);
  return address.bits === first!.bits && address.number >= first!.number && address.number <= last!.number;
}

/** Returns the first and last address of a CIDR; for a single address, that one. */
function blockOf(cidr: string): readonly [Address, Address] {
  const [base = '', prefix] = cidr.split('/');
  const { bits, number } = addressOf(base);
  const size = 2n ** BigInt(bits - Number(prefix ?? bits));
  const first = (number / size) * size;
  return [
    { bits, number: first },
    { bits, number: first + size - 1n },
  ];
}

function addressOf(text: string): Address {
  if (!text.includes(':')) {
    return { bits: 32, number: joined(text.trim().split('.').map(BigInt), 256n) };
  }
  const [head = '', tail] = text.trim().split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0n);
  return { bits: 128, number: joined([...before, ...zeros, ...after], 65536n) };
}

function groupsOf(text: string): bigint[] {
  return text === '' ? [] : text.split(':').map((group) => BigInt(`0x${group}`));
}

function joined(digits: readonly bigint[], base: bigint): bigint {
  return digits.reduce((number, digit) => number * base + digit, 0n);
}
