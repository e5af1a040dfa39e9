const count = (value: number) => (value === 1 ? '1 example' : `${value.toLocaleString('en-US')} examples`);

export const examples = {
  broken: {
    title: (value: number) => `This change breaks ${count(value)}`,
    body: 'These visits get the expected answer now, and would no longer get it. Nothing has been changed yet.',
    keep: 'Do not change',
    force: 'Change nevertheless',
  },
} as const;
