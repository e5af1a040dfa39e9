export const number = (value: number) => value.toLocaleString('en-US');

/** @param digits maximum number of digits after the decimal point */
export const percent = (share: number, digits = 2) =>
  `${(100 * share).toLocaleString('en-US', { maximumFractionDigits: digits })} %`;
