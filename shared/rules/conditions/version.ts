const VERSION = /^\d+(?:\.\d+)*$/;
const DOT = 0x2e;
const DIGIT_0 = 0x30;

/**
 * Returns whether `text` consists of numbers separated by dots. Only such versions have an order. Names of versions,
 * such as XP, have none.
 */
export function isOrderedVersion(text: string): boolean {
  return VERSION.test(text);
}

const ORDERED_PART = /^\d+(?:\.\d+)*/;

/**
 * Returns the part of a visitor's version that has an order: its leading numbers, such as 140.0 of Firefox's 140.0b9.
 * Returns undefined for names such as XP.
 */
export function orderedPartOf(text: string): string | undefined {
  return ORDERED_PART.exec(text)?.[0];
}

/** Matches insignificant zeros: leading zeros of a segment, and trailing segments that are 0. */
const IDLE_ZEROS = /(?<=^|\.)0+(?=\d)|(?:\.0+)+$/g;
const HAS_IDLE_ZEROS = /(?:^|\.)0/;

/** Returns the same text for equal versions: `17` for `17.0` and `017`. Other texts stay unchanged. */
export function canonicalVersion(text: string): string {
  return HAS_IDLE_ZEROS.test(text) && isOrderedVersion(text) ? text.replace(IDLE_ZEROS, '') : text;
}

/**
 * Returns a negative number, 0 or a positive one if `left` is older than, equal to or newer than `right`. Compares the
 * segments as numbers of any size. Missing segments count as 0. Both must be ordered versions.
 */
export function compareVersions(left: string, right: string): number {
  let leftStart = 0;
  let rightStart = 0;
  while (leftStart < left.length || rightStart < right.length) {
    const leftEnd = segmentEnd(left, leftStart);
    const rightEnd = segmentEnd(right, rightStart);
    const difference = compareNumbers(left, leftStart, leftEnd, right, rightStart, rightEnd);
    if (difference !== 0) return difference;
    leftStart = leftEnd + 1;
    rightStart = rightEnd + 1;
  }
  return 0;
}

function segmentEnd(version: string, start: number): number {
  let end = start;
  while (end < version.length && version.charCodeAt(end) !== DOT) end += 1;
  return end;
}

/** Compares numbers without leading zeros: by length, then by digits. */
function compareNumbers(
  left: string,
  leftStart: number,
  leftEnd: number,
  right: string,
  rightStart: number,
  rightEnd: number,
): number {
  let leftAt = skipZeros(left, leftStart, leftEnd);
  let rightAt = skipZeros(right, rightStart, rightEnd);
  const longer = leftEnd - leftAt - (rightEnd - rightAt);
  if (longer !== 0) return longer;
  for (; leftAt < leftEnd; leftAt += 1, rightAt += 1) {
    const difference = left.charCodeAt(leftAt) - right.charCodeAt(rightAt);
    if (difference !== 0) return difference;
  }
  return 0;
}

function skipZeros(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && text.charCodeAt(at) === DIGIT_0) at += 1;
  return at;
}
