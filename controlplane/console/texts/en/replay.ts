const number = (value: number) => value.toLocaleString('en-US');
const percent = (share: number) =>
  `${(100 * share).toLocaleString('en-US', { maximumFractionDigits: share < 0.01 ? 2 : 1 })} %`;

export const replay = {
  percent,
  title: 'Replay',
  lead: 'See what recorded visits would have received, before a change goes live. Visitors notice nothing.',
  form: {
    title: 'Replay visits',
    what: 'Judge visits by',
    whats: { draft: 'The draft', current: 'The rules in force', version: 'An earlier version' },
    noDraft: 'There is no draft. Make one first, or choose something else.',
    version: 'Version',
    start: 'From',
    end: 'To',
    sample: 'At most this many visits',
    sampleHint: 'Of more visits a random sample is judged, and shares get an interval. Empty: 10,000,000.',
    submit: 'Start the replay',
  },
  again: 'New replay',
  states: {
    queued: 'Waiting',
    running: 'Running',
    finished: 'Finished',
    failed: 'Failed',
    canceled: 'Canceled',
  },
  progress: 'Visits judged',
  cancel: 'Cancel replay',
  period: (start: string, end: string) => `Visits from ${start} to ${end}`,
  none: {
    title: 'No visits in this period',
    body: 'Nobody came, or nothing was recorded. Choose a longer period.',
  },
  outcomes: {
    title: 'Outcome',
    unchanged: 'Unchanged',
    changed: 'Changed',
    unjudged: 'Cannot be judged',
    otherDestination: 'Other destination',
    otherRule: 'Other rule',
    otherVariant: 'Other variant',
    newLoops: 'New loops',
  },
  same: 'Every visit that could be judged would get the same answer.',
  sampled: (replayed: number, total: number) =>
    `A random sample of ${number(replayed)} of about ${number(total)} visits was judged. Intervals hold in 95 % of samples.`,
  changes: {
    title: 'What would change',
    columns: {
      from: 'Received',
      to: 'Would receive',
      visits: 'Visits',
      share: 'Share',
      examples: 'Examples',
    },
    rest: 'All others',
    noRule: 'No rule',
    rule: (name: string) => `Rule “${name}”`,
    variant: (name: string) => `variant ${name}`,
    interval: (low: number, high: number) => `${percent(low)} to ${percent(high)}`,
  },
  rules: {
    title: 'Rules',
    columns: { rule: 'Rule', before: 'Decided', after: 'Would decide', state: 'State' },
    states: {
      decides: 'Decides visits',
      shadowed: 'Shadowed: an earlier rule takes its visits',
      matches_nothing: 'Matches no visit',
      unknown: 'Unknown, because of missing data',
      removed: 'Removed',
    },
  },
  gaps: {
    title: 'What cannot be judged',
    lead: 'These visits lack something that decides. Nothing is guessed.',
    columns: { attribute: 'What is missing', reason: 'Why', visits: 'Visits', share: 'Share' },
    reasons: {
      not_recorded: 'Hits do not hold it',
      shortened: 'Hits hold a shortened value',
      masked: 'The value is masked',
      not_drawn: 'No number was drawn for these visits then',
      refused: 'The answer was refused',
    },
  },
  loop: (hosts: string) => `This would close a loop: ${hosts}.`,
} as const;
