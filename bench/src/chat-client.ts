import { Pool } from 'undici';
import { runAdminCommand } from './benchmark-services.js';
import type { ServerProcess } from './server-process.js';

/** User who sends the requests of all chat benchmarks. */
export const benchmarkOwner = {
  email: 'owner@example.com',
  fullName: 'Owner',
  password: 'Benchmark-password-1',
} as const;

/** Creates a realm and its owner in the chat database, after applying the migrations. */
export function createBenchmarkRealm(env: Record<string, string>): void {
  runAdminCommand('chat', env, ['create-realm', '--name', 'Bench', '--host', '127.0.0.1']);
  const { email, fullName, password } = benchmarkOwner;
  runAdminCommand('chat', env, ['create-owner', '--email', email, '--full-name', fullName, '--password', password]);
}

/** Client that sends one user's requests to the chat service. */
export interface ChatClient {
  /**
   * Sends parameters as a form and reads the whole response. `bytes` is its length.
   *
   * @throws Error if the response is not a success
   */
  post<T>(path: string, parameters: Record<string, string>): Promise<{ response: T; bytes: number }>;
  close(): Promise<void>;
}

/**
 * Fetches the API key of the realm owner with the owner's email and password. Returns the authorization header for
 * later requests.
 */
export async function fetchOwnerAuthorization(server: ServerProcess): Promise<string> {
  const response = await fetch(`${server.origin}/api/v1/fetch_api_key`, {
    method: 'POST',
    body: new URLSearchParams({ username: benchmarkOwner.email, password: benchmarkOwner.password }),
  });
  const { api_key: key } = (await response.json()) as { api_key: string };
  return `Basic ${Buffer.from(`${benchmarkOwner.email}:${key}`).toString('base64')}`;
}

/** Signs in as the realm owner. Returns a chat client that sends requests with the owner's credentials. */
export async function signInOwner(server: ServerProcess): Promise<ChatClient> {
  return openChatClient(server, await fetchOwnerAuthorization(server));
}

/** Returns a chat client that sends requests with the given authorization header. */
export function openChatClient(server: ServerProcess, authorization: string): ChatClient {
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
  const pool = new Pool(server.origin, { connections: 2 });
  return {
    post: async <T>(path: string, parameters: Record<string, string>) => {
      const body = new URLSearchParams(parameters).toString();
      const response = await pool.request({ method: 'POST', path, headers, body });
      const text = await response.body.text();
      const parsed = JSON.parse(text) as T & { result: string; msg: string };
      if (parsed.result !== 'success') throw new Error(`${path}: ${parsed.msg}`);
      return { response: parsed, bytes: Buffer.byteLength(text) };
    },
    close: () => pool.close(),
  };
}
