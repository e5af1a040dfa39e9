/** So long draining may take: connections get their second, hits their five. Whoever kills, waits longer. */
export const DRAIN_WITHIN_MS = 6_500;
