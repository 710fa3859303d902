import { UploadedFile } from '../engine/uploads/uploaded-file.js';
import { inventoryErrors } from '../errors.js';

/** Media type of multipart forms, which can contain files. */
export const multipartFormType = 'multipart/form-data';

/**
 * Parses a multipart form. Returns the values of its fields by name: texts, and files as {@link UploadedFile}s. A field
 * that occurs several times gets a list of values.
 *
 * @throws ApplicationError FORM_PARSE_ERROR
 */
export async function parseMultipartForm(
  mediaType: string,
  content: Buffer,
): Promise<Readonly<Record<string, unknown>>> {
  const form = await parseFormData(mediaType, content);
  const fields: Record<string, unknown> = Object.create(null);
  const given = new Map<string, (string | File)[]>();
  for (const [name, value] of form) {
    const values = given.get(name);
    if (values === undefined) given.set(name, [value]);
    else values.push(value);
  }
  for (const [name, some] of given) {
    const values = await Promise.all(some.map(parseFormValue));
    fields[name] = values.length === 1 ? values[0] : values;
  }
  return fields;
}

async function parseFormValue(value: string | File): Promise<string | UploadedFile> {
  if (typeof value === 'string') return value;
  // Some clients send the file's path on their machine.
  const name = value.name.split(/[\\/]/).at(-1) ?? '';
  return new UploadedFile(name, Buffer.from(await value.arrayBuffer()));
}

/**
 * Maximum number of parts, which are fields or files, of a multipart form. The limit is far above the number of fields
 * of any model. A form with so many parts is parsed in little time.
 */
const maxMultipartFormParts = 1_000;

async function parseFormData(mediaType: string, content: Buffer): Promise<FormData> {
  if (hasTooManyParts(content)) {
    throw inventoryErrors.create('FORM_PARSE_ERROR', {
      params: { reason: `More than ${maxMultipartFormParts} fields` },
    });
  }
  try {
    return await new Response(new Uint8Array(content), { headers: { 'content-type': mediaType } }).formData();
  } catch (cause) {
    throw inventoryErrors.create('FORM_PARSE_ERROR', { params: { reason: 'Malformed form data' }, cause });
  }
}

/**
 * Returns true if a multipart form has more parts than allowed. To count the parts, the function counts
 * `content-disposition` headers, including text within files that looks like such a header.
 */
function hasTooManyParts(content: Buffer): boolean {
  const text = content.toString('latin1').toLowerCase();
  let parts = 0;
  for (
    let at = text.indexOf(contentDispositionPrefix);
    at !== -1;
    at = text.indexOf(contentDispositionPrefix, at + contentDispositionPrefix.length)
  ) {
    parts += 1;
    if (parts > maxMultipartFormParts) return true;
  }
  return false;
}

const contentDispositionPrefix = 'content-disposition:';
