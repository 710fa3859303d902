import type { MultipartFile } from '@fastify/multipart';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApplicationError } from '@switchboard/errors';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { createBadRequestError } from '../../errors.js';
import { createBodyTooLargeError } from './error-renderer.js';
import { decodeParameters, type ParameterDefinition } from './parameters.js';
import { collectUndecodedParameters } from './raw-parameters.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * True if the handler of the route reads the multipart request body without the usual parser, see
     * {@link DescribeFileUploadForm}.
     */
    takesFile?: boolean;
  }
}

/**
 * Method decorator for a handler that reads the multipart request body as a {@link FileUploadForm}. The body is not
 * read before the guards have accepted the request.
 */
export const DescribeFileUploadForm = (): MethodDecorator => RouteConfig({ takesFile: true });

/** OpenAPI description of a multipart request body with one file, in a field of any name. */
export const fileFormBodySchema = [
  {
    contentType: 'multipart/form-data',
    schema: z.object({ filename: z.string().meta({ format: 'binary', description: 'The file' }) }),
  },
];

/** An uploaded file that is still being received. */
export interface IncomingUploadedFile {
  /** Name of the uploaded file, sent by the client. */
  readonly name: string;
  /** Content type of the uploaded file, declared by the client. */
  readonly contentType: string;
  /**
   * Content of the uploaded file, which can be read once. The iteration throws ApplicationError BAD_REQUEST if the file
   * is too large or incomplete.
   */
  readonly content: AsyncIterable<Buffer>;
}

/** The uploaded files of a multipart body, read into memory, and the form fields sent with the files. */
export interface FileUploadFormInMemory {
  readonly fields: ReadonlyMap<string, string>;
  readonly files: readonly Buffer[];
}

/**
 * Parameter decorator that provides the multipart request body as a {@link FileUploadForm}. The handler needs the
 * decorator {@link DescribeFileUploadForm}.
 */
export const MultipartFormParameter = createParamDecorator(
  (_data: unknown, context: ExecutionContext) =>
    new FileUploadForm(context.switchToHttp().getRequest<FastifyRequest>()),
);

/**
 * A multipart request body that has not been read yet (docs/contract/chat.md 1.3). Only the first file in the body is
 * used, in a field of any name.
 */
export class FileUploadForm {
  constructor(private readonly request: FastifyRequest) {}

  /**
   * Returns the first file of the multipart body, or null if the body contains no file.
   *
   * @throws ApplicationError BAD_REQUEST for a malformed body
   */
  async readFirstFile(maxBytes: number): Promise<IncomingUploadedFile | null> {
    if (!this.request.isMultipart()) return null;
    const file = await this.#readConvertingErrors(
      () => this.request.file({ limits: { fileSize: maxBytes + 1 } }),
      undefined,
    );
    return file === undefined
      ? null
      : { name: file.filename, contentType: file.mimetype, content: limitUploadedFileSize(file, maxBytes) };
  }

  /**
   * Reads the whole multipart body into memory, for small files such as pictures.
   *
   * @throws ApplicationError BAD_REQUEST for a malformed body or a file that is too large
   */
  async readIntoMemory(maxBytes: number): Promise<FileUploadFormInMemory> {
    const fields = new Map<string, string>();
    const files: Buffer[] = [];
    if (!this.request.isMultipart()) return { fields, files };
    return this.#readConvertingErrors(
      async () => {
        for await (const part of this.request.parts({ limits: { fileSize: maxBytes + 1, files: 2 } })) {
          if (part.type === 'file') files.push(await readAllChunks(limitUploadedFileSize(part, maxBytes)));
          else fields.set(part.fieldname, String(part.value));
        }
        return { fields, files };
      },
      { fields, files },
    );
  }

  /**
   * Reads the whole body, and decodes the parameters sent in the body or in the query.
   *
   * @throws ApplicationError as {@link readIntoMemory} and {@link decodeParameters}
   */
  async readWithParameters<S extends z.ZodObject>(
    definition: ParameterDefinition<S>,
    maxBytes: number,
  ): Promise<{ readonly files: readonly Buffer[]; readonly values: z.output<S> }> {
    const { fields, files } = await this.readIntoMemory(maxBytes);
    const raw = { body: fields, query: collectUndecodedParameters(this.request).query };
    return { files, values: decodeParameters(definition, raw, this.request.server.requestLimits).values };
  }

  /** @param nothing Result for an empty form. */
  async #readConvertingErrors<T>(read: () => Promise<T>, nothing: T): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof ApplicationError) throw error;
      if (isEmptyMultipartForm(this.request, error)) return nothing;
      throw createBadRequestError('Malformed form data');
    }
  }
}

/**
 * Returns true if a parse error was caused by a multipart body that consists only of the closing boundary. Some clients
 * send a form without fields in this format.
 */
export function isEmptyMultipartForm(request: FastifyRequest, error: unknown): boolean {
  if (!(error instanceof Error) || !/unexpected end/i.test(error.message)) return false;
  const boundary = /boundary="?([^";]+)/i.exec(request.headers['content-type'] ?? '')?.[1] ?? '';
  // The body has at most the size of a closing boundary, with two dashes on both sides and line ends around.
  return Number(request.headers['content-length'] ?? 0) <= boundary.length + 8;
}

async function* limitUploadedFileSize({ file }: MultipartFile, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of file) {
      const bytes: Buffer = chunk;
      size += bytes.length;
      if (size > maxBytes) throw createBadRequestError(createBodyTooLargeError(maxBytes));
      yield bytes;
    }
  } catch (error) {
    throw error instanceof ApplicationError ? error : createBadRequestError('Malformed form data');
  } finally {
    // The rest is read and discarded, so that the client receives the response.
    file.resume();
  }
}

async function readAllChunks(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}
