/** What is run or published, not imported: mains, processes that others start by a file's name, commands, the client. */
const RUN = [
  '(/|-)main\\.ts$',
  '^bench/(load|rules|ingest|servers)/[a-z-]+-process\\.ts$',
  '^deploy/faults/[a-z-]+-process\\.ts$',
  '^deploy/faults/(load|servers)/[a-z-]+-process\\.ts$',
  '^deploy/roles/[a-z]+\\.ts$',
  '^deploy/client/src/index\\.ts$',
  '^deploy/backup/(backup|restore)\\.ts$',
  '^deploy/faults/servers/clock-shift\\.ts$',
  '^bench/servers/[a-z-]+-server\\.ts$',
  '^bench/product/worker-memory\\.ts$',
  '^bench/analytics/roll-up-times\\.ts$',
  '^controlplane/areas/billing/stripe/command\\.ts$',
  '^controlplane/areas/replay/judging-thread\\.ts$',
  '^controlplane/storage/clickhouse/print-cluster-ddl\\.ts$',
];
const RUN_BY_TESTS = ['\\.test\\.ts$', '-(process|thread|endpoint|setup)\\.fixture\\.ts$'];

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
      name: 'areas-above-the-rest',
      comment: 'Areas use these folders. These folders get what they need of areas by parameters.',
      severity: 'error',
      from: {
        path: '^controlplane/(errors|http|ingest|jobs|publishing|storage)/',
        pathNot: '\\.(test|fixture)\\.ts$',
      },
      to: { path: '^controlplane/areas/' },
    },
    {
      name: 'areas-meet-in-public-files',
      comment: 'Other areas and the composition root import only the public.ts of an area.',
      severity: 'error',
      from: { path: '^controlplane/areas/([^/]+)/', pathNot: '\\.(test|fixture)\\.ts$' },
      to: { path: '^controlplane/areas/', pathNot: '^controlplane/areas/($1/|[^/]+/public\\.ts$)' },
    },
    {
      name: 'composition-uses-public-files',
      severity: 'error',
      from: { path: '^controlplane/[^/]+\\.ts$', pathNot: '\\.(test|fixture)\\.ts$' },
      to: { path: '^controlplane/areas/', pathNot: '^controlplane/areas/[^/]+/public\\.ts$' },
    },
    {
      name: 'storage-below-http',
      severity: 'error',
      from: { path: '^controlplane/(errors|storage|jobs)/', pathNot: '\\.(test|fixture)\\.ts$' },
      to: { path: '^controlplane/(http|ingest|publishing)/' },
    },
    {
      name: 'hits-know-no-rulesets',
      comment: 'Who serves a redirect counts it, not the other way round.',
      severity: 'error',
      from: { path: '^dataplane/(hits|texts)/' },
      to: { path: '^dataplane/(sync|http)/' },
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
      from: { pathNot: '^controlplane/storage/postgres/|\\.(test|fixture)\\.ts$' },
      to: { path: 'node_modules/(pg|@electric-sql/pglite)/' },
    },
    {
      name: 'one-importer-of-clickhouse',
      severity: 'error',
      from: { pathNot: '^controlplane/storage/clickhouse/' },
      to: { path: 'node_modules/(@clickhouse|chdb)/' },
    },
    {
      name: 'few-importers-of-redis',
      comment: 'Rulesets and rate limits go through Redis; nobody else waits for it.',
      severity: 'error',
      from: {
        path: '^(shared|dataplane|controlplane|deploy|bench)/',
        pathNot: '^(controlplane/(publishing|http)|dataplane/sync)/|\\.(test|fixture)\\.ts$',
      },
      to: { path: 'node_modules/ioredis/' },
    },
    {
      name: 'few-importers-of-kafka',
      comment: 'Hits go in at the data plane and come out at ingest.',
      severity: 'error',
      from: {
        pathNot:
          '^(dataplane/hits|controlplane/ingest)/|^shared/hits/kafka-client-options|\\.(test|fixture)\\.ts$',
      },
      to: { path: 'node_modules/kafkajs/' },
    },
    {
      name: 'fixtures-are-for-tests',
      severity: 'error',
      from: { pathNot: '\\.(test|fixture)\\.ts$' },
      to: { path: '\\.fixture\\.ts$' },
    },
    {
      name: 'nothing-unused',
      comment: 'A module that nothing which runs leads to is dead, also when tests use it.',
      severity: 'error',
      from: { path: RUN },
      to: {
        path: '^(shared|dataplane|controlplane|deploy|bench)/.*\\.ts$',
        pathNot: ['\\.(test|fixture|d)\\.ts$', ...RUN],
        reachable: false,
      },
    },
    {
      name: 'no-unused-fixtures',
      severity: 'error',
      from: { path: RUN_BY_TESTS },
      to: { path: '\\.fixture\\.ts$', pathNot: RUN_BY_TESTS, reachable: false },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-dev-dependencies-in-products',
      severity: 'error',
      from: {
        path: '^(shared|dataplane|controlplane|deploy/(standalone|backup|roles|process|workers|client|cli))/',
        pathNot: '\\.(test|fixture)\\.ts$',
      },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The parser reads no TSX. The console's own tsconfig.json keeps it to the libraries of browsers.
    exclude: { path: '^(dist|controlplane/console)/' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
