import { OutboundError, type OutboundClient } from '@switchboard/outbound';
import type { z } from 'zod';
import { VideoCallProviderError } from './video-provider-errors.js';

/** A request that creates a room at a video-call provider. Request body and response body are JSON. */
export interface CreateVideoRoomRequest<S extends z.ZodType> {
  /** Name of the video-call provider, used in error messages. */
  readonly provider: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
  /** Schema of the JSON body of the provider's response. */
  readonly response: S;
}

/**
 * Creates a room at a video-call provider and returns the parsed response. Error messages omit the response body, which
 * may contain secrets.
 *
 * @throws VideoCallProviderError
 */
export async function createRoomAtVideoProvider<S extends z.ZodType>(
  outbound: OutboundClient,
  { provider, url, headers, body, response: schema }: CreateVideoRoomRequest<S>,
): Promise<z.output<S>> {
  const response = await sendRoomRequest(outbound, provider, {
    url,
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const parsed = schema.safeParse(parseRoomJson(response.body.toString('utf8')));
  if (response.status >= 300 || !parsed.success) {
    throw new VideoCallProviderError(`${provider} responded with status ${response.status} and an unexpected body`);
  }
  return parsed.data;
}

async function sendRoomRequest(
  outbound: OutboundClient,
  provider: string,
  request: Parameters<OutboundClient['request']>[0],
) {
  try {
    return await outbound.request(request);
  } catch (error) {
    if (error instanceof OutboundError)
      throw new VideoCallProviderError(`${provider} cannot be reached`, { cause: error });
    throw error;
  }
}

function parseRoomJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
