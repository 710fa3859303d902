/** Any error that stops a template, with the name of the corresponding Jinja exception, which responses show. */
export class TemplateError extends Error {
  override readonly name: string = 'TemplateError';
}

/** The source is not a template. Raised while it is read, before anything is rendered. */
export class TemplateSyntaxError extends TemplateError {
  override readonly name = 'TemplateSyntaxError';

  /** @param line Counted from 1. */
  constructor(
    message: string,
    readonly line: number,
  ) {
    super(`${message} (line ${line})`);
  }
}

/** Something was used that is not there. */
export class UndefinedError extends TemplateError {
  override readonly name = 'UndefinedError';
}

/** The template reached for what templates may not have. */
export class SecurityError extends TemplateError {
  override readonly name = 'SecurityError';
}

/** A value was used in a way that its type does not have. */
export class TemplateRuntimeError extends TemplateError {
  override readonly name = 'TemplateRuntimeError';
}

/** Another template was referenced, which is not supported. */
export class TemplateNotFoundError extends TemplateError {
  override readonly name = 'TemplateNotFound';
}

/** The exceeded limit. */
export type TemplateLimit = 'time' | 'output' | 'steps' | 'memory' | 'depth';

/** The template exceeds a limit. Its output so far is discarded. */
export class TemplateLimitError extends TemplateError {
  override readonly name = 'TemplateLimitError';

  constructor(
    readonly limit: TemplateLimit,
    message: string,
  ) {
    super(message);
  }
}
