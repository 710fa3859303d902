import { ApplicationError, defineErrorCatalog, type ErrorRenderer } from '@switchboard/errors';

export const errors = defineErrorCatalog({
  NOT_AUTHENTICATED: { status: 401, message: 'Say who you are', description: 'The token is missing or unknown.' },
  ORDER_NOT_FOUND: { status: 404, message: 'There is no order {id}', description: 'The order is not there.' },
  BAD_INPUT: { status: 400, message: 'The request cannot be read', description: 'The input has another form.' },
  QUEUE_GONE: { status: 400, message: 'Register again', description: 'The event queue is not there any more.' },
  INTERNAL: { status: 500, message: 'Something went wrong', description: 'A defect.' },
});

export const renderer: ErrorRenderer = {
  render: ({ status, code, message, fields }) => ({ status, body: { code, message, ...fields } }),
  fromHttp: (status, message) => new ApplicationError({ code: 'HTTP', status, message }),
  unknown: (requestId) => errors.create('INTERNAL', { fields: { requestId } }),
};
