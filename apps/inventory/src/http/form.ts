import { Upload } from '../engine/uploads/upload.js';
import { errors } from '../errors.js';

/** Media type of forms with files. */
export const formType = 'multipart/form-data';

/**
 * The fields of a form by name: texts, and files as {@link Upload}s. A name that comes several times is a list.
 *
 * @throws AppError FORM_PARSE_ERROR
 */
export async function readForm(mediaType: string, content: Buffer): Promise<Readonly<Record<string, unknown>>> {
  const form = await parsed(mediaType, content);
  const fields: Record<string, unknown> = Object.create(null);
  for (const name of new Set(form.keys())) {
    const values = await Promise.all(form.getAll(name).map(valueOf));
    fields[name] = values.length === 1 ? values[0] : values;
  }
  return fields;
}

async function valueOf(value: string | File): Promise<string | Upload> {
  if (typeof value === 'string') return value;
  // Some clients send where the file is on their machine.
  const name = value.name.split(/[\\/]/).at(-1) ?? '';
  return new Upload(name, Buffer.from(await value.arrayBuffer()));
}

async function parsed(mediaType: string, content: Buffer): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(content), { headers: { 'content-type': mediaType } }).formData();
  } catch (cause) {
    throw errors.create('FORM_PARSE_ERROR', { params: { reason: 'Malformed form data' }, cause });
  }
}
