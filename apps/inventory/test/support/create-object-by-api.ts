import type { TestApiResponse } from '@switchboard/testing';
import type { TestInventory } from './test-service.js';

type Json = Record<string, unknown>;

/** Returns a picture of one pixel in the form of a file. */
export function picture(name: string): File {
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  return new File([Buffer.from(pixel, 'base64')], name, { type: 'image/png' });
}

/** Returns the body of a multipart/form-data request that contains the given fields, encoded as browsers do. */
export async function formOf(fields: Json): Promise<{ payload: Buffer; headers: Record<string, string> }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    form.append(name, value instanceof File ? value : String(value));
  }
  const encoded = new Response(form);
  const type = encoded.headers.get('content-type') ?? '';
  return { payload: Buffer.from(await encoded.arrayBuffer()), headers: { 'content-type': type } };
}

/** Sends an object to the API as JSON, or as a form if the object contains a file. Returns the response. */
export async function sendObject<T>(
  { api }: Pick<TestInventory, 'api'>,
  method: 'POST' | 'PUT' | 'PATCH',
  path: string,
  object: Json,
): Promise<TestApiResponse<T>> {
  const hasFile = Object.values(object).some((value) => value instanceof File);
  return api.request<T>(method, path, hasFile ? await formOf(object) : { json: object });
}

/** Creates several objects in one request. If the objects contain files, creates them one by one. */
export async function createAll(
  test: TestInventory,
  path: string,
  objects: readonly Json[],
): Promise<{ readonly status: number; readonly body: readonly Json[] }> {
  const hasFile = objects.some((object) => Object.values(object).some((value) => value instanceof File));
  if (!hasFile) return test.api.post<Json[]>(path, { json: objects });
  const made: Json[] = [];
  let last = 0;
  for (const object of objects) {
    const { status, body } = await sendObject<Json>(test, 'POST', path, object);
    made.push(body);
    last = status;
  }
  return { status: last, body: made };
}

/** Replaces several objects in one request. If the objects contain files, replaces them one by one. */
export async function replaceAll(
  test: TestInventory,
  path: string,
  objects: readonly Json[],
): Promise<{ readonly status: number; readonly body: readonly Json[] }> {
  const hasFile = objects.some((object) => Object.values(object).some((value) => value instanceof File));
  if (!hasFile) return test.api.put<Json[]>(path, { json: objects });
  const replaced: Json[] = [];
  let last = 0;
  for (const { id, ...object } of objects) {
    const { status, body } = await sendObject<Json>(test, 'PUT', `${path}${String(id)}/`, object);
    replaced.push(body);
    last = status;
  }
  return { status: last, body: replaced };
}
