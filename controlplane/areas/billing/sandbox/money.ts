/** Formats `2900` of `usd` as `29.00 USD`. */
export function money(amount: number, currency: string): string {
  const code = currency.toUpperCase();
  const digits = new Intl.NumberFormat('en', { style: 'currency', currency: code }).resolvedOptions()
    .maximumFractionDigits;
  const text = String(amount).padStart((digits ?? 2) + 1, '0');
  return digits === 0
    ? `${text} ${code}`
    : `${text.slice(0, -(digits ?? 2))}.${text.slice(-(digits ?? 2))} ${code}`;
}
