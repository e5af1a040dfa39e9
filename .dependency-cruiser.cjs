/** The shape that architecture and decisions speak of, checked by a tool. */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'shared-knows-nobody',
      comment: 'shared is the vocabulary of both planes; it imports neither.',
      severity: 'error',
      from: { path: '^shared/' },
      to: { path: '^(dataplane|controlplane|deploy|bench)/' },
    },
    {
      name: 'planes-apart',
      comment: 'The planes meet in shared, and in processes that deploy composes.',
      severity: 'error',
      from: { path: '^dataplane/' },
      to: { path: '^(controlplane|deploy|bench)/' },
    },
    {
      name: 'planes-apart-too',
      severity: 'error',
      from: { path: '^controlplane/' },
      to: { path: '^(dataplane|deploy|bench)/' },
    },
    {
      name: 'one-importer-of-uws',
      severity: 'error',
      from: { pathNot: '^(dataplane/http|bench)/' },
      to: { path: 'node_modules/(uWebSockets\\.js|uwebsockets)/' },
    },
    {
      name: 'one-importer-of-postgres',
      severity: 'error',
      from: { pathNot: '^controlplane/database/' },
      to: { path: 'node_modules/(pg|@electric-sql/pglite)/' },
    },
    {
      name: 'one-importer-of-clickhouse',
      severity: 'error',
      from: { pathNot: '^controlplane/clickhouse/' },
      to: { path: 'node_modules/(@clickhouse|chdb)/' },
    },
    {
      name: 'few-importers-of-redis',
      comment: 'Rulesets and rate limits go through Redis; nobody else waits for it.',
      severity: 'error',
      from: {
        path: '^(shared|dataplane|controlplane|deploy|bench)/',
        pathNot: '^(controlplane/(publisher|plugins)|dataplane/sync)/|\\.(test|fixture)\\.ts$',
      },
      to: { path: 'node_modules/ioredis/' },
    },
    {
      name: 'few-importers-of-kafka',
      comment: 'Hits go in at the data plane and come out at ingest.',
      severity: 'error',
      from: { pathNot: '^(dataplane/hits|controlplane/ingest)/|^shared/process/kafka-broker\\.fixture' },
      to: { path: 'node_modules/kafkajs/' },
    },
    {
      name: 'fixtures-are-for-tests',
      severity: 'error',
      from: { pathNot: '\\.(test|fixture)\\.ts$' },
      to: { path: '\\.fixture\\.ts$' },
    },
    {
      name: 'no-orphans',
      comment: 'A module that nothing uses is dead.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: ['\\.test\\.ts$', '\\.d\\.ts$', 'vitest\\.config\\.ts$'],
      },
      to: {},
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-dev-dependencies-in-products',
      severity: 'error',
      from: {
        path: '^(shared|dataplane|controlplane|deploy/(standalone|roles|process|workers))/',
        pathNot: '\\.(test|fixture)\\.ts$',
      },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
