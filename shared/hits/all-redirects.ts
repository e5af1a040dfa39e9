/**
 * Replaces the redirect id in a producer's totals over all its redirects. These totals are sent after a producer was
 * killed. The redirects of its last hits are then unknown, but their number is known.
 */
export const ALL_REDIRECTS = '*';
