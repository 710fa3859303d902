import type { ModelField } from '../declaration/field.js';
import { createNullableJsonSchema } from '../meta/json-schema-of-values.js';
import { createJsonValueFragment, createComputedJsonFragment } from '../sql/json-text-sql.js';
import { readPictureInfo } from '../uploads/read-picture-info.js';
import { UploadedFile } from '../uploads/uploaded-file.js';
import { createInvalidInputProblem } from '../write/invalid-input-problem.js';
import { createQualifiedColumnSql, type FieldPropertyOptions, addDefaultFieldProperties } from './field-traits.js';

export interface ImageFieldOptions extends FieldPropertyOptions<string> {
  /**
   * Path of the folder in which the image files are stored. `fileName` returns the file name for an object. Without
   * `fileName`, the file name that the client sent is used.
   */
  readonly folder: string;
  readonly fileName?: (row: Readonly<Record<string, unknown>>, file: UploadedFile) => string;
  /**
   * Names of hidden columns that store an image's width and height in pixels and its size in bytes; see the model's
   * `hiddenColumns`.
   */
  readonly facts?: { readonly width: string; readonly height: string; readonly size: string };
}

const maxImagePathLength = 100;
/** Maximum width and height of an uploaded image in pixels. The limit is that of a `smallint` column. */
const maxImageSidePixels = 32_767;

/** URL path below which uploaded files are served. */
const uploadedMediaUrlPath = '/media/';

/**
 * Creates a field for an image (PNG, JPEG, GIF or WebP). Clients send the image as multipart/form-data, and responses
 * show its URL. Null and '' remove an optional image. The column stores the path of the image file, or '' without an
 * image.
 */
export function imageField(options: ImageFieldOptions): ModelField<string | UploadedFile> {
  const own = addDefaultFieldProperties({ ...options, nullable: options.required !== true, default: '' }, '');
  const shown = { type: 'string', format: 'uri-reference' };
  const written = { type: 'string', format: 'binary' };
  return {
    kind: 'image',
    traits: own,
    column: (name) => ({ name, type: `varchar(${maxImagePathLength})` }),
    json: (place) => {
      const column = createQualifiedColumnSql(place, place.name);
      const address = `to_json(concat(${place.scope.base}, '${uploadedMediaUrlPath}', ${column}))::text`;
      return [createComputedJsonFragment(`CASE ${column} WHEN '' THEN 'null' ELSE ${address} END`)];
    },
    snapshot: (place) => [createJsonValueFragment(createQualifiedColumnSql(place, place.name))],
    input: (value) => parseImageUpload(value, own.nullable),
    schema: {
      read: () => (own.nullable ? createNullableJsonSchema(shown) : shown),
      write: () => (own.nullable ? createNullableJsonSchema(written) : written),
    },
    metadata: { type: 'image upload', max_length: maxImagePathLength },
    filters: () => [],
    order: (place) => [createQualifiedColumnSql(place, place.name)],
    upload: {
      path: (row, file) => createImagePath(options, row, file),
      columns: (file) => createHiddenImageColumns(options, file),
    },
  };
}

/**
 * Validates an image that a client sent, and returns the upload as the value of the field. The image file is stored
 * later, once the whole object is valid.
 */
function parseImageUpload(value: unknown, nullable: boolean): string | UploadedFile {
  if (value === null || value === '') {
    if (nullable) return '';
    throw createInvalidInputProblem(value === null ? 'This field may not be null.' : imageFileExpectedMessage);
  }
  if (!(value instanceof UploadedFile)) throw createInvalidInputProblem(imageFileExpectedMessage);
  if (value.content.length === 0) throw createInvalidInputProblem('The submitted file is empty.');
  const info = readPictureInfo(value.content);
  if (info === null) {
    throw createInvalidInputProblem(
      'Upload a valid image. The file you uploaded was either not an image or a corrupted image.',
    );
  }
  if (info.width > maxImageSidePixels || info.height > maxImageSidePixels) {
    throw createInvalidInputProblem(`Ensure this image is no more than ${maxImageSidePixels} pixels wide and high.`);
  }
  return value;
}

const imageFileExpectedMessage = 'The submitted data was not a file. Check the encoding type on the form.';

/**
 * Returns the path at which to store an image file. The file name consists of letters, digits, `_`, `.` and `-`,
 * followed by the extension for the image format.
 */
function createImagePath(
  { folder, fileName }: ImageFieldOptions,
  row: Readonly<Record<string, unknown>>,
  file: UploadedFile,
): string {
  const format = readPictureInfo(file.content)?.format ?? 'png';
  const ending = format === 'jpg' && /\.jpeg$/i.test(file.name) ? 'jpeg' : format;
  const base = (fileName?.(row, file) ?? file.name).replace(/\.[^.]*$/, '');
  const safe = base
    .normalize('NFKD')
    .trim()
    .replace(/\s+/g, '_')
    .replace(/[^\w.-]/g, '')
    .replace(/^\.+/, '');
  const room = maxImagePathLength - folder.length - 16;
  return `${folder}/${safe.slice(0, room) || 'image'}.${ending}`;
}

function createHiddenImageColumns(
  { facts }: ImageFieldOptions,
  { content }: UploadedFile,
): Readonly<Record<string, unknown>> {
  const info = readPictureInfo(content);
  if (facts === undefined || info === null) return {};
  return { [facts.width]: info.width, [facts.height]: info.height, [facts.size]: content.length };
}
