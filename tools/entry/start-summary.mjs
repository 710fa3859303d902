// @ts-check
import { joinDataPath } from './data-folder-paths.mjs';
import { getDevelopmentSecretsPath } from './development-secrets.mjs';

/**
 * Returns the lines about the chat service in the message that `npm start` prints.
 *
 * @param {string} address
 * @param {NodeJS.ProcessEnv} env
 * @returns {string[]}
 */
function listChatSummaryLines(address, env) {
  const email = `desdemona@${env.DEMO_EMAIL_DOMAIN || 'example.com'}`;
  return [
    `chat        ${address}/api/v1   (Zulip REST API)`,
    `  sign in   ${email}, iago@..., hamlet@...; all passwords: switchboard-demo`,
    `  try       curl -sS '${address}/api/v1/dev_fetch_api_key?username=${email}' -X POST`,
    `            curl -sS ${address}/api/v1/users/me -u ${email}:<api_key>`,
  ];
}

/**
 * Returns the lines about the inventory service in the message that `npm start` prints.
 *
 * @param {string} address
 * @param {NodeJS.ProcessEnv} env
 * @returns {string[]}
 */
function listInventorySummaryLines(address, env) {
  const token = env.DEMO_ADMIN_TOKEN ?? '<token>';
  const scheme = token.startsWith('nbt_') ? 'Bearer' : 'Token';
  return [
    `inventory   ${address}/api/   (NetBox REST API)`,
    `  sign in   admin / admin, token ${token}`,
    `  try       curl -sS ${address}/api/ipam/prefixes/ -H 'Authorization: ${scheme} ${token}'`,
  ];
}

/**
 * Returns the lines about a running app in the message that `npm start` prints.
 *
 * @param {import('./app-process.mjs').AppProcess} running
 */
function listAppSummaryLines(running) {
  return running.app.name === 'chat'
    ? listChatSummaryLines(running.baseUrl, running.env)
    : listInventorySummaryLines(running.baseUrl, running.env);
}

/**
 * Returns the message that `npm start` prints when the services are ready. The message contains the URLs and demo
 * accounts of the started services.
 *
 * @param {import('./local-stack.mjs').LocalServiceStack} stack
 * @param {number} startedAt start time in milliseconds since 1970
 */
export function createStartSummaryMessage(stack, startedAt) {
  const development = stack.processes.some((running) => running.env.NODE_ENV === 'development');
  const lines = stack.processes.flatMap((running) => ['', ...listAppSummaryLines(running)]);
  for (const { app, env } of stack.processes) lines.push('', `${app.name} database   ${env.DATABASE_URL}`);
  lines.push(`Redis   ${stack.processes[0]?.env.REDIS_URL ?? ''}`);
  if (development) {
    lines.push(
      '',
      `Development secrets (pepper, encryption keys): ${getDevelopmentSecretsPath()}, readable only by you.`,
    );
    for (const { app, env } of stack.processes) {
      lines.push(
        `  ${app.name}: SECRET_PEPPERS=${env.SECRET_PEPPERS} SECRET_ENCRYPTION_KEYS=${env.SECRET_ENCRYPTION_KEYS}`,
      );
    }
  }
  lines.push(`Logs as JSON: ${joinDataPath('logs')}`);
  lines.push(
    '',
    `Ready in ${((Date.now() - startedAt) / 1000).toFixed(1)} s. Ctrl-C stops everything; the data remains.`,
    '',
  );
  return lines.join('\n');
}
