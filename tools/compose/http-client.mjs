// @ts-check
import { request } from 'node:http';

/** @typedef {{ status: number, text: string, body: any }} Response */

/**
 * Returns an HTTP client for one published port of a container. The client uses `node:http`, because `fetch` cannot set
 * the Host header.
 *
 * @param {{ address: string, port: number, host: string, headers?: Record<string, string> }} target
 */
export function createContainerHttpClient({ address, port, host, headers = {} }) {
  /**
   * Sends an HTTP request and returns the response. Status 0 means that the client got no response.
   * @param {string} method
   * @param {string} path
   * @param {Record<string, string> | object} [payload] a form for chat, JSON for the inventory
   * @param {{ headers?: Record<string, string>, timeoutMs?: number }} [options]
   * @returns {Promise<Response>}
   */
  return (method, path, payload, options = {}) =>
    new Promise((resolve) => {
      const json = headers['content-type'] === 'application/json';
      const text = payload === undefined ? '' : json ? JSON.stringify(payload) : encodeFieldsAsUrlForm(payload);
      const query = !json && method === 'GET' && text !== '' ? `?${text}` : '';
      const outgoing = request(
        {
          host: address,
          port,
          method,
          path: `${path}${query}`,
          headers: {
            ...(json ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
            ...headers,
            ...options.headers,
            host,
          },
          timeout: options.timeoutMs ?? 90_000,
        },
        (response) => {
          let received = '';
          response.on('data', (/** @type {Buffer} */ chunk) => (received += chunk.toString()));
          response.on('error', () => resolve(missingHttpResponse));
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, text: received, body: parseJsonOrNull(received) }),
          );
        },
      );
      outgoing.on('timeout', () => outgoing.destroy(new Error('no response in time')));
      outgoing.on('error', () => resolve(missingHttpResponse));
      outgoing.end(method === 'GET' ? '' : text);
    });
}

/** @type {Response} */
const missingHttpResponse = { status: 0, text: '', body: null };

/**
 * Encodes the fields of an object as a URL-encoded form.
 *
 * @param {object} payload
 */
function encodeFieldsAsUrlForm(payload) {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(payload)) fields.set(name, String(value));
  return fields.toString();
}

/**
 * Parses a text as JSON. Returns null if the text is not JSON.
 * @param {string} text
 */
function parseJsonOrNull(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
