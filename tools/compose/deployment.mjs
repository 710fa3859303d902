// @ts-check
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../entry/data-folder-paths.mjs';
import { ExplainedCommandError, printLineAboveProgress, runStepWithProgress } from '../entry/progress-step.mjs';
import { ChatLoadClient } from './chat-load.mjs';
import { checkContainerEngine, runDockerCommand, ComposeProject } from './container-engine.mjs';
import { createContainerHttpClient } from './http-client.mjs';
import { InventoryLoadClient } from './inventory-load.mjs';

const composeProjectName = 'switchboard-test';
const chatOwnerEmail = 'owner@example.com';
/**
 * Names of all containers except the receiver, in the order in which the test restarts the containers. The databases
 * are last, because their restart can lose the most data.
 */
const containerRestartOrder = [
  'proxy',
  'chat-api',
  'chat-worker',
  'inventory-api',
  'inventory-worker',
  'redis',
  'postgres',
];

/**
 * Returns the last word of a command's output, such as a generated password.
 *
 * @param {string} text
 */
function getLastWordOfOutput(text) {
  return text.trim().split(/\s+/).at(-1) ?? '';
}

/**
 * Creates the environment file and the settings files of the containers. Returns the Docker Compose project that uses
 * these files.
 */
function prepareComposeProject() {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-compose-'));
  const made = spawnSync(process.execPath, [join(repositoryRoot, 'docker/make-env.mjs')], { encoding: 'utf8' });
  writeFileSync(join(folder, 'env'), made.stdout, { mode: 0o600 });
  // Without these settings the service rejects the receiver's private address.
  writeFileSync(join(folder, 'chat.env'), 'LOG_LEVEL=warn\n');
  writeFileSync(join(folder, 'inventory.env'), 'LOG_LEVEL=warn\nWEBHOOK_ALLOW_PRIVATE=true\n');
  const { COMPOSE_TEST_ADDRESS: address = '127.0.0.1', CHAT_PORT = '19991', INVENTORY_PORT = '18000' } = process.env;
  const project = new ComposeProject(composeProjectName, join(folder, 'env'), {
    CHAT_PORT,
    INVENTORY_PORT,
    CHAT_ENV_FILE: join(folder, 'chat.env'),
    INVENTORY_ENV_FILE: join(folder, 'inventory.env'),
  });
  const ports = { chat: Number(CHAT_PORT), inventory: Number(INVENTORY_PORT) };
  return { folder, project, address, ports };
}

/** @typedef {ReturnType<typeof prepareComposeProject>} Deployment */

/**
 * Checks the health probes behind the proxy. The proxy must pass on the status of a probe, but neither the details of
 * the probe nor the metrics.
 *
 * @param {Deployment} deployment
 * @param {'chat' | 'inventory'} app
 */
async function checkHealthProbes({ project, address, ports }, app) {
  const call = createContainerHttpClient({ address, port: ports[app], host: `${app}.example.com` });
  for (const path of ['/health/ready', '/health/live']) {
    const { status, text } = await call('GET', path);
    assert.deepEqual([path, status, text], [path, 200, '']);
  }
  assert.equal((await call('GET', '/metrics')).status, 404);
  const port = app === 'chat' ? 9991 : 8000;
  const fetchText = (/** @type {string} */ url) =>
    project.runInContainer(
      `${app}-api`,
      'node',
      '-e',
      `fetch('${url}').then((answer) => answer.text()).then(console.log)`,
    );
  const ready = await fetchText(`http://127.0.0.1:${port}/health/ready`);
  assert.match(ready, app === 'chat' ? /create-realm/ : /create-superuser/);
  assert.match(await fetchText('http://127.0.0.1:9100/metrics'), /process_resident_memory_bytes/);
}

/**
 * Checks the PostgreSQL accounts of both services. Neither account may be a superuser, and neither account may have
 * access to the data of the other service.
 *
 * @param {Deployment} deployment
 */
async function checkDatabaseAccounts({ project }) {
  const roles = "SELECT count(*) FROM pg_roles WHERE rolsuper AND rolname IN ('chat', 'inventory')";
  assert.equal((await project.runInContainer('postgres', 'psql', '-U', 'postgres', '-Atc', roles)).trim(), '0');
  const program = `
    const { createRequire } = require('node:module');
    const { Client } = createRequire('/app/packages/database/dist/index.js')('pg');
    const url = new URL(process.env.DATABASE_URL);
    url.pathname = '/inventory';
    const client = new Client({ connectionString: url.href });
    client.connect().then(() => console.log('connected'), (error) => console.log(error.message));`;
  assert.match(await project.runInContainer('chat-api', 'node', '-e', program), /permission denied for database/);
  const asChat = 'redis-cli --no-auth-warning --user chat --pass "$CHAT_REDIS_PASSWORD"';
  const redis = (/** @type {string} */ command) => project.runInContainer('redis', 'sh', '-c', command);
  assert.match(await redis(`${asChat} get chat:anything`), /^$/m);
  assert.match(await redis(`${asChat} get inventory:anything`), /NOPERM/);
  assert.match(await redis(`${asChat} flushall`), /NOPERM/);
  assert.match(await redis('redis-cli get chat:anything'), /NOAUTH/);
  assert.match(await redis('redis-cli --no-auth-warning --user health --pass none get chat:anything'), /NOPERM/);
}

/**
 * Creates the first users of both services with the admin commands in the containers.
 *
 * @param {Deployment} deployment
 */
async function addFirstUsers({ project, address, ports }) {
  const chatAdmin = (/** @type {string[]} */ ...args) =>
    project.runInContainer('chat-api', 'node', 'admin.mjs', ...args);
  const inventoryAdmin = (/** @type {string[]} */ ...args) =>
    project.runInContainer('inventory-api', 'node', 'admin.mjs', ...args);
  await chatAdmin('create-realm', '--name', 'Example', '--host', 'chat.example.com');
  const password = getLastWordOfOutput(
    await chatAdmin('create-owner', '--email', chatOwnerEmail, '--full-name', 'First Owner'),
  );
  await inventoryAdmin('create-superuser', 'admin');
  const token = getLastWordOfOutput(await inventoryAdmin('create-token', 'admin'));
  return {
    chat: new ChatLoadClient({ address, port: ports.chat, email: chatOwnerEmail, password }),
    inventory: new InventoryLoadClient({ address, port: ports.inventory, token, project: composeProjectName }),
  };
}

/**
 * Restarts the containers one after the other while chat messages are sent and sites are created, then checks that no
 * acknowledged write is lost.
 *
 * @param {Deployment} deployment
 * @param {{ chat: ChatLoadClient, inventory: InventoryLoadClient }} load
 */
async function restartContainersUnderLoad({ project }, { chat, inventory }) {
  chat.sendAndPollUntilEnd();
  inventory.createSitesUntilEnd();
  for (const service of containerRestartOrder) {
    await runStepWithProgress(`Restarting ${service} under load`, async () => {
      await project.runCompose('restart', service);
      // Waits until every container is healthy again.
      await project.startServices();
    });
  }
  await runStepWithProgress('Comparing what was acknowledged with what is there', () =>
    Promise.all([chat.stopAndCheckMessages(), inventory.stopAndWaitForWebhooks()]),
  );
  printLineAboveProgress(
    `${chat.sent.size} messages and ${inventory.created.size} sites were acknowledged, and none was lost;`,
  );
  printLineAboveProgress(`${chat.failed + inventory.failed} requests failed while a container was stopped.`);
}

/**
 * Starts the containers of the deployment, creates the first users, and runs all checks of the deployment.
 *
 * @param {Deployment} deployment
 */
async function checkComposeDeployment(deployment) {
  const { project } = deployment;
  await runStepWithProgress('Building the images', () => project.runCompose('build'));
  await runStepWithProgress('Starting chat alone on an empty database', () =>
    project.startServices('--profile', 'chat'),
  );
  await checkHealthProbes(deployment, 'chat');
  await runStepWithProgress('Starting both', () => project.startServices());
  await checkHealthProbes(deployment, 'inventory');
  await checkDatabaseAccounts(deployment);
  const load = await runStepWithProgress('Adding the first users', () => addFirstUsers(deployment));
  const { chat, inventory } = load;
  await runStepWithProgress('Receiving a message by a long poll, and a signed webhook', async () => {
    await Promise.all([chat.signInAndRegisterQueue(), inventory.startWebhookReceiver()]);
    const polled = chat.pollEventsOnce();
    const id = await chat.sendMessage();
    await polled;
    assert.ok(id !== null && chat.received.has(id), 'the message did not arrive by the pending poll');
    const slug = await inventory.createSite();
    assert.ok(slug !== null, 'the site was refused');
    await inventory.waitForWebhooksOfSites([slug], 30_000);
  });
  await restartContainersUnderLoad(deployment, load);
  await inventory.removeWebhookReceiver();
  await runStepWithProgress('Going down, and up with the data', async () => {
    await project.runCompose('down');
    await project.startServices();
    await Promise.all([chat.checkMessagesInHistory(), inventory.checkSitesInDatabase()]);
  });
}

/**
 * `npm run test:compose`: builds the images and starts the unchanged docker/compose.yaml on the container engine of the
 * docker client in PATH. Ports are expected to be published at COMPOSE_TEST_ADDRESS (default 127.0.0.1). At the end
 * everything except the images is removed, unless `--keep` is given.
 * @param {string[]} args
 */
export async function runComposeTest(args) {
  if (args.some((argument) => argument !== '--keep'))
    throw new ExplainedCommandError('Usage: npm run test:compose [-- --keep]');
  await checkContainerEngine();
  const deployment = prepareComposeProject();
  try {
    await checkComposeDeployment(deployment);
    printLineAboveProgress('The deployment works.');
  } catch (error) {
    const logs = await deployment.project.runCompose('logs', '--tail', '40').catch(() => '');
    throw new ExplainedCommandError(`${logs}\n${error instanceof Error ? error.message : String(error)}`);
  } finally {
    if (!args.includes('--keep')) {
      await runDockerCommand(['rm', '-f', `${composeProjectName}-receiver`]).catch(() => undefined);
      await deployment.project.runCompose('down', '--volumes', '--remove-orphans');
      rmSync(deployment.folder, { recursive: true });
    }
  }
}
