export const number = (value: number) => value.toLocaleString('en-US');

/** @param digits after the decimal point, at most */
export const percent = (share: number, digits = 2) =>
  `${(100 * share).toLocaleString('en-US', { maximumFractionDigits: digits })} %`;
