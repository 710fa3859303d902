/**
 * Rules for the directions of imports (docs/adr/0001). Each rule has a test in tools/test/boundaries.spec.ts that adds
 * a forbidden import and expects an error. The linter also refuses cycles of values (import/no-cycle); `no-circles`
 * refuses cycles of types too.
 * @type {import('dependency-cruiser').IConfiguration}
 */
const packageNames = [
  'auth',
  'board',
  'database',
  'errors',
  'local-services',
  'nest',
  'outbound',
  'pagination',
  'platform',
  'queue',
  's3',
  'templates',
  'testing',
  'tracing',
  'webhooks',
];

/** Packages of the workspace that a shared package may import. A package without an entry imports none. */
const packageArrows = {
  auth: ['errors'],
  board: ['queue'],
  database: ['errors'],
  nest: ['auth', 'board', 'errors', 'outbound', 'queue'],
  outbound: ['tracing'],
  platform: ['errors', 'tracing'],
  queue: ['tracing'],
  s3: ['outbound'],
  testing: ['database', 'local-services', 'platform'],
  webhooks: ['errors', 'outbound', 'queue', 'tracing'],
};

/** Layers of chat, highest first: each may import those below it. */
const chatLayers = ['app', 'features', 'core', 'events', 'infra'];

/** Files of chat's root: programs stand above all layers, declarations below them. */
const chatPrograms = '^apps/chat/src/(main|admin|migrate|generate)\\.ts$';
const chatDeclarations = '^apps/chat/src/(config|errors|tokens)\\.ts$';

/** Imports of chat that point upwards, at most seven, each with its reason. */
const chatExceptions = [
  {
    from: 'events/render-event-log-entry.ts',
    to: 'core/users/index.ts',
    reason: 'A poll follows the role of its own user, which this event changes.',
  },
  {
    from: 'events/snapshot-context.ts',
    to: 'core/access/api-keys.ts',
    reason: 'A type. The snapshots of bots open their API keys.',
  },
];

const chatFile = (path) => `^apps/chat/src/${path.replaceAll('.', '\\.')}$`;

/** A rule for each layer, and one for each file with exceptions. */
function chatLayerRules() {
  const layers = [
    ...chatLayers.map((layer, index) => ({
      name: `chat-layers-${layer}`,
      path: `^apps/chat/src/${layer}/`,
      above: [...chatLayers.slice(0, index).map((higher) => `^apps/chat/src/${higher}/`), chatPrograms],
    })),
    {
      name: 'chat-layers-declarations',
      path: chatDeclarations,
      above: [...chatLayers.slice(0, -1).map((layer) => `^apps/chat/src/${layer}/`), chatPrograms],
    },
  ];
  return layers.flatMap(({ name, path, above }) => {
    const excepted = chatExceptions.filter(({ from }) => new RegExp(path).test(`apps/chat/src/${from}`));
    const files = [...new Set(excepted.map(({ from }) => from))];
    return [
      {
        name,
        comment: 'The layers of chat: app, features, core, events, infra (docs/adr/0028).',
        severity: 'error',
        from: { path, pathNot: ['\\.spec\\.ts$', ...files.map(chatFile)] },
        to: { path: above },
      },
      ...files.map((file) => ({
        name,
        comment: excepted.flatMap(({ from, reason }) => (from === file ? [reason] : [])).join(' '),
        severity: 'error',
        from: { path: chatFile(file) },
        to: { path: above, pathNot: excepted.flatMap(({ from, to }) => (from === file ? [chatFile(to)] : [])) },
      })),
    ];
  });
}

module.exports = {
  forbidden: [
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-circles',
      comment: 'Circles of types as well.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-undeclared-dependency',
      comment: 'A package imports only what its own package.json declares.',
      severity: 'error',
      from: { path: '^(apps|packages)/[^/]+/src', pathNot: '\\.spec\\.ts$' },
      to: {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'],
        // Optional peer dependencies are installed for tests.
        dependencyTypesNot: ['npm-peer'],
        pathNot: 'node_modules/@types/',
      },
    },
    {
      name: 'no-app-to-app',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    { name: 'no-package-to-app', severity: 'error', from: { path: '^packages/' }, to: { path: '^apps/' } },
    {
      name: 'package-through-its-index',
      comment: 'The exports of a package are those of its index, and of receiver.ts in webhooks.',
      severity: 'error',
      from: { path: '^(?:apps|bench|packages)/([^/]+)/' },
      to: {
        path: '^packages/[^/]+/src/(?!index\\.ts$)',
        pathNot: ['^packages/$1/', '^packages/webhooks/src/receiver\\.ts$', '^packages/nest/src/board\\.ts$'],
      },
    },
    ...packageNames.map((name) => ({
      name: `package-arrows-${name}`,
      severity: 'error',
      from: { path: `^packages/${name}/src/`, pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^packages/',
        pathNot: [`^packages/${name}/`, ...(packageArrows[name] ?? []).map((target) => `^packages/${target}/`)],
      },
    })),
    {
      name: 'nest-only-in-nest-packages',
      comment: 'Services without Nest use the other packages. Parts for Nest are in packages/nest.',
      severity: 'error',
      from: {
        path: '^packages/[^/]+/src/',
        pathNot: ['^packages/(nest|platform|testing)/', '\\.spec\\.ts$'],
      },
      to: { path: ['node_modules/@nestjs/', '^@nestjs/'] },
    },
    {
      name: 'no-test-code-in-product',
      comment: 'Embedded services and test tools never reach production.',
      severity: 'error',
      from: { path: '^(apps|packages)/[^/]+/src/', pathNot: ['\\.spec\\.ts$', '^packages/(testing|local-services)/'] },
      to: { path: '^packages/(testing|local-services)/' },
    },
    ...chatLayerRules(),
    {
      name: 'no-slice-internals',
      comment: 'A slice is used through its index, and its variables through settings.ts. Access is no slice.',
      severity: 'error',
      from: { path: '^apps/chat/src/((?:core|features)/[^/]+/|[^.]*)', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^apps/chat/src/(core|features)/[^/]+/',
        pathNot: [
          '^apps/chat/src/$1',
          '^apps/chat/src/(core|features)/[^/]+/(index|settings)\\.ts$',
          '^apps/chat/src/core/access/',
        ],
      },
    },
    {
      name: 'engine-is-generic',
      comment: 'The engine names no model: behaviour is a property or a hook of a declaration.',
      severity: 'error',
      from: { path: '^apps/inventory/src/engine/' },
      to: { path: '^apps/inventory/src/(models|modules|webhooks|destinations)/' },
    },
    {
      name: 'inventory-slices-register',
      comment: 'A slice registers its paths with defineFeatureModule. Code that serves all slices imports no slice.',
      severity: 'error',
      from: { path: '^apps/inventory/src/(http|engine|models|destinations|webhooks|changes|auth)/' },
      to: { path: '^apps/inventory/src/(modules/|slices\\.ts$)' },
    },
    {
      name: 'no-database-in-controllers',
      comment: 'A controller translates; it neither queries nor decides.',
      severity: 'error',
      from: { path: '\\.controller\\.ts$' },
      to: { path: '(\\.repository\\.ts$|^packages/database/|node_modules/pg/)' },
    },
    {
      name: 'queue-client-only-in-queue',
      comment: 'Work reaches BullMQ through the outbox and typed jobs alone.',
      severity: 'error',
      from: { path: '^(apps|packages)/', pathNot: '^packages/queue/' },
      to: { path: 'node_modules/bullmq/' },
    },
    {
      name: 'one-http-client',
      comment:
        'Every outgoing request goes through packages/outbound and its address policy. The test proxies in packages/testing send no requests themselves.',
      severity: 'error',
      from: {
        path: '^(apps|packages)/[^/]+/src/',
        pathNot: ['^packages/outbound/', '^packages/testing/src/network/', '\\.spec\\.ts$'],
      },
      to: {
        path: '(node_modules/(undici|axios|got|node-fetch|ky|superagent)/|^(node:)?(http|https|http2)$)',
      },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', 'dist'] },
    exclude: { path: ['/dist/', '/generated/', '\\.data/'] },
    parser: 'swc',
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@switchboard/source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mts', '.js', '.mjs', '.json'],
    },
    extraExtensionsToScan: [],
  },
};
