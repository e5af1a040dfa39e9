/**
 * Node options of a process that answers visitors: a 4 MiB semi-space instead of 16 MiB, and one helper thread instead
 * of four for garbage collection and compilation. A collection then ends within 3 ms while thousands of changes arrive,
 * and at most one thread competes with visitors for a core (dataplane/decisions/0007). These options win over
 * NODE_OPTIONS. Options on the command line of the parent process win over them.
 */
export const DATAPLANE_NODE_OPTIONS: readonly string[] = ['--max-semi-space-size=4', '--v8-pool-size=1'];
