/** Code of a {@link QueueBoardError}. */
export type QueueBoardErrorCode =
  | 'BOARD_CROSS_SITE_REQUEST'
  | 'BOARD_FORBIDDEN'
  | 'BOARD_METHOD_NOT_ALLOWED'
  | 'BOARD_NOT_FOUND'
  | 'BOARD_UNAVAILABLE';

const errorsByCode: Readonly<Record<QueueBoardErrorCode, { readonly statusCode: number; readonly message: string }>> = {
  BOARD_CROSS_SITE_REQUEST: { statusCode: 403, message: 'The request does not come from the board itself' },
  BOARD_FORBIDDEN: { statusCode: 403, message: 'The user may not use the board' },
  BOARD_METHOD_NOT_ALLOWED: { statusCode: 405, message: 'The method is not allowed' },
  BOARD_NOT_FOUND: { statusCode: 404, message: 'The board has no such page or action' },
  BOARD_UNAVAILABLE: { statusCode: 503, message: 'Redis is unavailable' },
};

/** Error for a request that the board rejects. Fastify responds with the status of the error. */
export class QueueBoardError extends Error {
  override readonly name = 'QueueBoardError';
  readonly statusCode: number;

  constructor(
    readonly code: QueueBoardErrorCode,
    options?: ErrorOptions,
  ) {
    const { statusCode, message } = errorsByCode[code];
    super(message, options);
    this.statusCode = statusCode;
  }
}
