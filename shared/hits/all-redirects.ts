/**
 * Stands in the place of a redirect's id for a producer's totals over all its redirects. They are sent when a producer
 * was killed: which redirects its last hits were of is lost with it, how many there were is not.
 */
export const ALL_REDIRECTS = '*';
