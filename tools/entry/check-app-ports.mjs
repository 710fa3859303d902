// @ts-check
import { setTimeout as delay } from 'node:timers/promises';
import { getAppHost, getAppPort } from './app-definitions.mjs';
import { findPortOwner, findPortListeningError } from './port-owner.mjs';
import { ExplainedCommandError } from './progress-step.mjs';

const portReleaseTimeoutMs = 10_000;
const portCheckIntervalMs = 100;

/**
 * Returns an error message for a port on which an app cannot listen. The message contains a solution.
 *
 * @param {import('./app-definitions.mjs').App} app
 * @param {number} port
 * @param {NodeJS.ErrnoException} problem
 * @param {{ pid: number, command: string } | null} owner
 */
function createPortErrorMessage(app, port, problem, owner) {
  const change = `choose another port, for example: ${app.portVariable}=${port + 1} npm start`;
  if (problem.code === 'EACCES') return `Port ${port} (${app.name}) can only be used by root; ${change}`;
  if (problem.code !== 'EADDRINUSE') return `${app.name} cannot listen on port ${port}: ${problem.message}`;
  const by = owner === null ? 'another process' : `process ${owner.pid} (${owner.command})`;
  return `Port ${port} (${app.name}) is used by ${by}. Stop it, or ${change}`;
}

/**
 * Checks that every app can listen on its port, before any process is started. A service of an earlier start may still
 * occupy a port after its entry script was killed. The function then waits until that service has stopped.
 *
 * @param {import('./app-definitions.mjs').App[]} wanted
 * @param {NodeJS.ProcessEnv} env
 */
export async function checkAppPorts(wanted, env) {
  const ports = wanted.map((app) => getAppPort(app, env));
  if (new Set(ports).size < ports.length)
    throw new ExplainedCommandError(`Both services have port ${ports[0]}. Set CHAT_PORT or INVENTORY_PORT.`);
  const problems = [];
  for (const app of wanted) {
    const problem = await findPortProblem(app, env);
    if (problem !== null) problems.push(problem);
  }
  if (problems.length > 0) throw new ExplainedCommandError(problems.join('\n'));
}

/**
 * Returns an error message if an app cannot listen on its port. Returns null if the port is available.
 * @param {import('./app-definitions.mjs').App} app
 * @param {NodeJS.ProcessEnv} env
 */
async function findPortProblem(app, env) {
  const port = getAppPort(app, env);
  const deadline = Date.now() + portReleaseTimeoutMs;
  for (let told = false; ; told = true) {
    const problem = await findPortListeningError(getAppHost(env), port);
    if (problem === null) return null;
    const owner = findPortOwner(port);
    const ours = owner !== null && owner.command.includes(app.folder);
    if (!ours || Date.now() > deadline) return createPortErrorMessage(app, port, problem, owner);
    if (!told) console.log(`Waiting until ${app.name} of an earlier start (process ${owner.pid}) has stopped.`);
    await delay(portCheckIntervalMs);
  }
}
