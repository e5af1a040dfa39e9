/** Maximum drain time: 1 s for connections, 5 s for hits. A supervisor must wait longer before SIGKILL. */
export const DRAIN_WITHIN_MS = 6_500;
