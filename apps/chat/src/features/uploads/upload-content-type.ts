/** Content types of files that browsers may show inline, because files of these types cannot contain scripts. */
const inlineContentTypes: ReadonlySet<string> = new Set([
  'application/pdf',
  'audio/aac',
  'audio/flac',
  'audio/mpeg',
  'audio/mp4',
  'audio/ogg',
  'audio/wav',
  'audio/webm',
  'image/apng',
  'image/avif',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
  'text/plain',
  'video/mp4',
  'video/ogg',
  'video/quicktime',
  'video/webm',
]);

const contentTypeByExtension: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  csv: 'text/csv',
  flac: 'audio/flac',
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  m4a: 'audio/mp4',
  md: 'text/markdown',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  oga: 'audio/ogg',
  ogg: 'audio/ogg',
  ogv: 'video/ogg',
  pdf: 'application/pdf',
  png: 'image/png',
  txt: 'text/plain',
  wav: 'audio/wav',
  webm: 'video/webm',
  webp: 'image/webp',
  zip: 'application/zip',
};

const unknownContentType = 'application/octet-stream';

/** Unspecific content types, which client programs declare for files of any kind. */
const genericContentTypes: ReadonlySet<string> = new Set([unknownContentType, 'text/plain']);

/**
 * Returns the content type of a file: the declared type if the type is specific, otherwise the type that belongs to the
 * file name extension.
 */
export function getFileContentType(declared: string, fileName: string): string {
  const type = /^[a-z]+\/[a-z0-9.+-]{1,100}$/.exec(declared.toLowerCase())?.[0] ?? unknownContentType;
  if (!genericContentTypes.has(type)) return type;
  return contentTypeByExtension[fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase()] ?? type;
}

/** Returns true if a browser may show a file of this content type inline. Files of other types are downloaded. */
export function isContentTypeShownInline(contentType: string): boolean {
  return inlineContentTypes.has(contentType);
}

/**
 * Returns true if clients may request byte ranges of files of this content type. For example, media players request
 * ranges to seek.
 */
export function isSeekableContentType(contentType: string): boolean {
  return /^(?:audio|video)\//.test(contentType) || contentType === 'application/pdf';
}
