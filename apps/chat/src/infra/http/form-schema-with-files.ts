import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { FileUploadForm } from './file-upload-form.js';
import type { RequestWithDecodedParameters, DecodedParametersOfDefinition } from './parameter-decorators.js';
import { decodeParameters, type ParameterDefinition } from './parameters.js';
import { collectUndecodedParameters } from './raw-parameters.js';

export interface ParametersAndFilesOptions {
  readonly parameters: ParameterDefinition<z.ZodObject>;
  /** Maximum size of an uploaded file in bytes. */
  readonly maxBytes: number;
}

/**
 * Decoded parameters of a request with its uploaded files. The list of files is empty unless the request body is
 * multipart.
 */
export interface DecodedParametersWithFiles<D> {
  readonly values: DecodedParametersOfDefinition<D>;
  readonly files: readonly Buffer[];
}

/**
 * Parameter decorator that provides the decoded parameters and the uploaded files of a request. The body of the request
 * is read completely. The handler needs `@DescribeFileUploadForm`.
 */
export const ParametersAndFiles = createParamDecorator(
  async ({ parameters, maxBytes }: ParametersAndFilesOptions, context: ExecutionContext) => {
    const request = context.switchToHttp().getRequest<FastifyRequest & RequestWithDecodedParameters>();
    const sent = collectUndecodedParameters(request);
    const { fields, files } = await new FileUploadForm(request).readIntoMemory(maxBytes);
    const all = { ...sent, ...(request.isMultipart() && { body: fields }) };
    const { values, ignored } = decodeParameters(parameters, all, request.server.requestLimits);
    request.ignoredParameters = ignored;
    return { values, files };
  },
);
